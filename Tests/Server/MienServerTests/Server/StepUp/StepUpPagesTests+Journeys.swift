/// The journeys with which people sign in.
extension StepUpPagesTests {
    static let journeys = [
        (
            "code",
            #"""
            "form": {"type": "login_form", "config": {"branches": [{"id": "otp"}], "output_variable": "form"}, "on": {"otp": "next"}},
            "next": {"type": "authenticate_otp", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}
            """#
        ),
        (
            "any",
            #"""
            "form": {"type": "login_form", "config": {"branches": [{"id": "face"}, {"id": "passkey"}, {"id": "otp"},
                {"id": "recovery_code", "label": "Recovery code", "schema": {"type": "object", "required": ["user_identifier", "code"],
                  "properties": {"user_identifier": {"type": "string", "title": "User name", "format": "username", "maxLength": 254},
                    "code": {"type": "string", "title": "Recovery code", "format": "password", "maxLength": 64, "sensitive": true}}}}],
                "output_variable": "form"},
              "on": {"face": "selfie", "passkey": "no", "otp": "check_code", "recovery_code": "check_recovery"}},
            "selfie": {"type": "selfie_acquisition", "config": {"output_variable": "selfie_data", "user_identifier": "form.user_identifier"},
              "on": {"success": "check_face", "failure": "no"}},
            "check_face": {"type": "authenticate_face", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "check_code": {"type": "authenticate_otp", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "check_recovery": {"type": "recovery_code_authentication", "config": {"user_identifier": "form.user_identifier", "code": "form.code"},
              "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}
            """#
        ),
        (
            "mail",
            #"""
            "form": {"type": "login_form", "config": {"branches": [{"id": "email_code"}], "output_variable": "form"}, "on": {"email_code": "check"}},
            "check": {"type": "email_otp_authentication", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}
            """#
        ),
    ]
}
