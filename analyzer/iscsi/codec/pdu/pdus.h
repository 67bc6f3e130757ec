// SPDX-License-Identifier: GPL-2.0-or-later
// Includes all PDU types.
#pragma once

#include "analyzer/iscsi/codec/pdu/data_pdus.h"
#include "analyzer/iscsi/codec/pdu/login_pdus.h"
#include "analyzer/iscsi/codec/pdu/nop_pdus.h"
#include "analyzer/iscsi/codec/pdu/scsi_pdus.h"
#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/iscsi/codec/pdu/task_management_pdus.h"
#include "analyzer/iscsi/codec/pdu/text_pdus.h"
