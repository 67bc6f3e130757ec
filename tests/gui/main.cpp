// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ISCSISCOPE_CATCH2_V3
#define CATCH_CONFIG_RUNNER
#endif
#include "catch.h"
#include "gui/document/background.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>

int main(int argc, char **argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    const QTemporaryDir settings;
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    QCoreApplication::setOrganizationName("iscsiscope-tests");
    QCoreApplication::setApplicationName("gui");
    const int code = Catch::Session().run(argc, argv);
    iscsiscope::gui::workers().waitForDone();
    return code;
}
