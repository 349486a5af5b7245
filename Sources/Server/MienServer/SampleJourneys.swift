internal import MienCore

/// The journeys of a new server. Copies of Examples/Journeys; change both together.
enum SampleJourneys {
    static let all = [
        passwordLogin, faceLogin, faceRegistration, signUp, recoveryEmail, recoveryCode,
    ]

    /// The journey with which anyone can create an account.
    static let signUpID = JourneyID("sign-up")!

    static let passwordLogin = #"""
        {
          "$schema": "../../docs/spec/journey.schema.json",
          "id": "password-login",
          "version": 1,
          "title": "Log in with a password",
          "start": "tries",
          "steps": {
            "tries": { "type": "loop", "config": { "max_iterations": 5 }, "on": { "body": "form", "done": "refused" } },
            "form": {
              "type": "login_form",
              "config": { "branches": [{ "id": "password" }], "output_variable": "form" },
              "on": { "password": "check" }
            },
            "check": {
              "type": "authenticate_password",
              "config": { "username": "form.username", "password": "form.password" },
              "on": { "success": "done" }
            },
            "done": { "type": "complete_journey" },
            "refused": { "type": "reject_access" }
          }
        }
        """#

    static let faceLogin = #"""
        {
          "$schema": "../../docs/spec/journey.schema.json",
          "id": "face-login",
          "version": 1,
          "title": "Log in with a face",
          "description": "Sign in with a face or a password. If the face is not recognized, use a password or try again.",
          "start": "tries",
          "steps": {
            "tries": { "type": "loop", "config": { "max_iterations": 5 }, "on": { "body": "form", "done": "refused" } },
            "form": {
              "type": "login_form",
              "config": { "branches": [{ "id": "face" }, { "id": "password" }], "output_variable": "loginData" },
              "on": { "face": "selfie", "password": "check_password" }
            },
            "selfie": {
              "type": "selfie_acquisition",
              "config": {
                "output_variable": "selfie_data", "user_identifier": "loginData.user_identifier",
                "custom_branches": [{ "id": "use_password", "label": "Use a password" }]
              },
              "on": { "success": "check_face", "use_password": "fallback", "failure": "fallback" }
            },
            "check_face": {
              "type": "authenticate_face",
              "config": { "user_identifier": "loginData.user_identifier" },
              "on": { "success": "done", "failure": "fallback" }
            },
            "fallback": {
              "type": "login_form",
              "config": {
                "title": "That did not work. Use your password, or try again.",
                "branches": [{ "id": "password" }, { "id": "again", "label": "Try again" }],
                "output_variable": "loginData"
              },
              "on": { "password": "check_password" }
            },
            "check_password": {
              "type": "authenticate_password",
              "config": { "username": "loginData.username", "password": "loginData.password" },
              "on": { "success": "done" }
            },
            "done": { "type": "complete_journey" },
            "refused": { "type": "reject_access" }
          }
        }
        """#

    static let faceRegistration = #"""
        {
          "$schema": "../../docs/spec/journey.schema.json",
          "id": "face-registration",
          "version": 1,
          "title": "Register a face",
          "description": "The user signs in with a password, gives consent, and verifies their identity. The selfie from the verification becomes the reference.",
          "start": "tries",
          "steps": {
            "tries": { "type": "loop", "config": { "max_iterations": 3 }, "on": { "body": "form", "done": "refused" } },
            "form": {
              "type": "login_form",
              "config": { "branches": [{ "id": "password" }], "output_variable": "loginData" },
              "on": { "password": "check_password" }
            },
            "check_password": {
              "type": "authenticate_password",
              "config": { "username": "loginData.username", "password": "loginData.password" },
              "on": { "success": "consent" }
            },
            "consent": {
              "type": "record_consent",
              "config": {
                "text_version": "face-1",
                "title": "Use your face to sign in",
                "text": "We compute numbers from a selfie and keep them, encrypted, to recognize you when you log in. You can withdraw this at any time.",
                "failure_behavior": "abort"
              },
              "on": { "success": "verify" }
            },
            "verify": {
              "type": "identity_verification",
              "config": { "callback_url": "https://app.example/verified", "output_variable": "verification" },
              "on": { "allow": "register", "challenge": "not_verified", "deny": "not_verified", "failure": "not_verified" }
            },
            "register": {
              "type": "register_face",
              "config": { "consent": { "text_version": "face-1" } },
              "on": { "success": "done", "failure": "refused" }
            },
            "done": { "type": "complete_journey" },
            "not_verified": { "type": "reject_access", "config": { "reason": "not_verified" } },
            "refused": { "type": "reject_access" }
          }
        }
        """#

    static let signUp = #"""
        {
          "$schema": "../../docs/spec/journey.schema.json",
          "id": "sign-up",
          "version": 1,
          "title": "Sign up",
          "description": "Creates an account with a password and a verified email address. A face is optional.",
          "start": "tries",
          "steps": {
            "tries": { "type": "loop", "config": { "max_iterations": 3 }, "on": { "body": "form", "done": "refused" } },
            "form": {
              "type": "login_form",
              "config": {
                "title": "Create your account",
                "branches": [
                  {
                    "id": "account",
                    "label": "Create account",
                    "schema": {
                      "properties": {
                        "username": { "type": "string", "title": "User name", "format": "username", "maxLength": 64 },
                        "email": { "type": "string", "title": "Email address", "format": "email", "maxLength": 254 },
                        "password": { "type": "string", "title": "Password", "format": "password", "minLength": 8, "maxLength": 256 },
                        "name": { "type": "string", "title": "What should we call you?", "maxLength": 100 }
                      },
                      "required": ["username", "email", "password"]
                    }
                  }
                ],
                "output_variable": "form"
              },
              "on": { "account": "create" }
            },
            "create": {
              "type": "create_user",
              "config": {
                "username": "form.username",
                "email": "form.email",
                "password": "form.password",
                "attributes": { "name": "has(form.name) ? form.name : form.username" }
              },
              "on": { "success": "check_address" }
            },
            "check_address": {
              "type": "email_otp_authentication",
              "config": { "resend_limit": 2 },
              "on": { "success": "consent", "failure": "refused" }
            },
            "consent": {
              "type": "record_consent",
              "config": {
                "text_version": "face-1",
                "title": "Log in with your face?",
                "text": "We compute numbers from a selfie and keep them, encrypted, to recognize you when you log in. You can withdraw this at any time, and your password always works.",
                "button": "Use my face",
                "cancel_behavior": "cancel_branch",
                "failure_behavior": "abort"
              },
              "on": { "success": "selfie", "cancel": "done" }
            },
            "selfie": {
              "type": "selfie_acquisition",
              "config": { "purpose": "registration", "cancel_behavior": "cancel_branch" },
              "on": { "success": "register", "failure": "done", "cancel": "done" }
            },
            "register": {
              "type": "register_face",
              "config": { "consent": { "text_version": "face-1" }, "error_output_variable": "error" },
              "on": { "success": "done", "failure": "without_face" }
            },
            "without_face": {
              "type": "information",
              "config": { "title": "No face", "text": "Your face could not be registered ({{error.code}}). Your password works." },
              "on": { "next": "done" }
            },
            "done": { "type": "complete_journey" },
            "refused": { "type": "reject_access", "config": { "reason": "sign_up_failed" } }
          }
        }
        """#

    static let recoveryEmail = #"""
        {
          "$schema": "../../docs/spec/journey.schema.json",
          "id": "recovery-email",
          "version": 2,
          "title": "Recover access by email",
          "description": "A code sent to the user's address requests recovery. After the hold, another code restores access and unlocks face and password.",
          "start": "form",
          "steps": {
            "form": {
              "type": "login_form",
              "config": { "title": "Who are you?", "branches": [{ "id": "email_code", "label": "Send a code" }], "output_variable": "form" },
              "on": { "email_code": "code" }
            },
            "code": {
              "type": "email_otp_authentication",
              "config": { "user_identifier": "form.user_identifier", "code_length": 8, "max_attempts": 3, "resend_limit": 1 },
              "on": { "success": "recover", "failure": "refused" }
            },
            "recover": {
              "type": "recover_account",
              "on": { "success": "unlock_face", "held": "wait", "failure": "refused" }
            },
            "wait": {
              "type": "information",
              "config": { "title": "Your request is waiting", "text": "We sent you an email that says when to come back. Until then, nothing changes." },
              "on": { "next": "held" }
            },
            "unlock_face": {
              "type": "unlock_authenticator",
              "config": { "authenticator": "face" },
              "on": { "success": "unlock_password", "failure": "unlock_password" }
            },
            "unlock_password": {
              "type": "unlock_authenticator",
              "config": { "authenticator": "password", "failure_behavior": "abort" },
              "on": { "success": "welcome" }
            },
            "welcome": {
              "type": "information",
              "config": { "title": "Welcome back", "text": "Your face and your password work again." },
              "on": { "next": "done" }
            },
            "done": { "type": "complete_journey" },
            "held": { "type": "reject_access", "config": { "reason": "recovery_held" } },
            "refused": { "type": "reject_access" }
          }
        }
        """#

    static let recoveryCode = #"""
        {
          "$schema": "../../docs/spec/journey.schema.json",
          "id": "recovery-code",
          "version": 1,
          "title": "Recover access with a recovery code",
          "description": "Signs the user in with one of their recovery codes.",
          "start": "tries",
          "steps": {
            "tries": { "type": "loop", "config": { "max_iterations": 3 }, "on": { "body": "form", "done": "refused" } },
            "form": {
              "type": "login_form",
              "config": {
                "branches": [
                  {
                    "id": "recovery_code",
                    "label": "Recovery code",
                    "schema": {
                      "type": "object",
                      "required": ["user_identifier", "code"],
                      "properties": {
                        "user_identifier": { "type": "string", "title": "User name or email address", "format": "username", "maxLength": 254 },
                        "code": { "type": "string", "title": "Recovery code", "format": "password", "maxLength": 64, "sensitive": true }
                      }
                    }
                  }
                ],
                "output_variable": "form"
              },
              "on": { "recovery_code": "check" }
            },
            "check": {
              "type": "recovery_code_authentication",
              "config": { "user_identifier": "form.user_identifier", "code": "form.code" },
              "on": { "success": "done" }
            },
            "done": { "type": "complete_journey" },
            "refused": { "type": "reject_access" }
          }
        }
        """#
}
