// SPDX-License-Identifier: GPL-2.0-or-later
// All PDU types.
#pragma once

#include "analyzer/iscsi/codec/pdu_async_message.h"
#include "analyzer/iscsi/codec/pdu_data_in.h"
#include "analyzer/iscsi/codec/pdu_data_out.h"
#include "analyzer/iscsi/codec/pdu_login_request.h"
#include "analyzer/iscsi/codec/pdu_login_response.h"
#include "analyzer/iscsi/codec/pdu_logout_request.h"
#include "analyzer/iscsi/codec/pdu_logout_response.h"
#include "analyzer/iscsi/codec/pdu_nop_in.h"
#include "analyzer/iscsi/codec/pdu_nop_out.h"
#include "analyzer/iscsi/codec/pdu_r2t.h"
#include "analyzer/iscsi/codec/pdu_reject.h"
#include "analyzer/iscsi/codec/pdu_scsi_command.h"
#include "analyzer/iscsi/codec/pdu_scsi_response.h"
#include "analyzer/iscsi/codec/pdu_snack_request.h"
#include "analyzer/iscsi/codec/pdu_task_management_request.h"
#include "analyzer/iscsi/codec/pdu_task_management_response.h"
#include "analyzer/iscsi/codec/pdu_text_request.h"
#include "analyzer/iscsi/codec/pdu_text_response.h"
