// swift-format-ignore-file
// Written by scripts/openapi from docs/openapi.json. Change that one.
// It is long because it is that document, word for word: the program carries it, so that nothing has to lie beside it.

/// The API's description, OpenAPI 3.1.
enum OpenAPIDocument {
    static let text = #"""
    {
      "openapi": "3.1.0",
      "info": {
        "title": "Mien",
        "version": "1",
        "summary": "Faces and journeys over HTTP.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        "description": "Bodies are JSON (RFC 8259) in UTF-8. Duplicate members, unknown members, and values nested more than 24 levels deep are errors. Responses omit members without a value; clients must ignore unknown members. Errors are `application/problem+json` documents with a stable `code`. Every response has an `x-request-id`. HEAD works wherever GET does; other unsupported methods return 405 with `allow`. Times are milliseconds since 1970. The admin API and metrics are served on a separate address, `admin.listen`; the public address returns 404 for them. docs/api.md shows the main flows."
      },
      "servers": [{"url": "/"}],
      "tags": [
        {"name": "Journeys", "description": "Endpoints that apps call to sign users in."},
        {"name": "Captures", "description": "Selfies for a journey's step."},
        {"name": "Tokens", "description": "OAuth 2.1 and OpenID Connect: sign-in, refresh, biometric login."},
        {"name": "Own keys", "description": "Management of a user's own device keys."},
        {"name": "Passkeys", "description": "WebAuthn for browsers: register, sign in, and manage passkeys."},
        {"name": "One-time codes", "description": "OTP tokens: registration codes, and the tokens that devices get for them."},
        {"name": "Recovery", "description": "Recovery codes and pending recoveries."},
        {"name": "Notices", "description": "Links in emails to account owners."},
        {"name": "Licenses", "description": "Product keys, and the licenses that devices get for them."},
        {"name": "Apps", "description": "Apps and their settings."},
        {"name": "Users", "description": "Accounts, authenticators, consents."},
        {"name": "Journey versions", "description": "Journey definitions."},
        {"name": "Audit", "description": "A hash-chained record of every action."},
        {"name": "Operation", "description": "Health, metrics, keys."}
      ],
      "paths": {
        "/v1/journeys/{journey}/start": {
          "parameters": [{"$ref": "#/components/parameters/Journey"}],
          "post": {
            "operationId": "startJourney",
            "tags": ["Journeys"],
            "summary": "Start a journey",
            "description": "Runs the journey's published version until it asks the client or ends. The app's settings list the journeys it may start. With an access token, the run begins with a signed-in user, as some journeys require.",
            "security": [{}, {"accessToken": []}],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"$ref": "#/components/schemas/StartJourneyRequest"},
                  "examples": {
                    "public app": {"value": {"client_id": "default_application"}},
                    "confidential app": {
                      "value": {
                        "client_id": "shop",
                        "client_secret": "shop.h8Xq2vLmT5yRk0JwBdGnFeUa9iOt1xVbNmCqEwpM4cz",
                        "additional_params": {"basket": "4711"},
                        "flow_id": "web-42",
                        "device_token": "dev_Qm3xTz8RkW1bLn5YvCd0eA.Zr7nM2kXvQ9tLbYw4sGdJ0hPfEuRc1aToIiNqVxKmBw"
                      }
                    }
                  }
                }
              }
            },
            "responses": {
              "200": {
                "description": "The next step, or the result.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {
                  "application/json": {
                    "schema": {"$ref": "#/components/schemas/JourneyAnswer"},
                    "examples": {
                      "prompt": {
                        "value": {
                          "state": "run_K3v9sQ1mXc7TzLw0YfRbEg.3x0Jqv5mC1n8yKdT7eWbZ4uRaHs2LgPfOi9kVtXyQwE",
                          "journey_step_id": "loginForm",
                          "data": {
                            "branches": [
                              {
                                "id": "password",
                                "label": "Password",
                                "kind": "password",
                                "schema": {
                                  "type": "object",
                                  "properties": {
                                    "username": {"type": "string", "title": "User name", "format": "username", "minLength": 1, "maxLength": 1000},
                                    "password": {
                                      "type": "string",
                                      "title": "Password",
                                      "format": "password",
                                      "minLength": 1,
                                      "maxLength": 1000,
                                      "writeOnly": true
                                    }
                                  },
                                  "required": ["username", "password"],
                                  "additionalProperties": false
                                }
                              }
                            ]
                          },
                          "client_response_options": {
                            "password": {
                              "type": "custom",
                              "label": "Password",
                              "schema": {
                                "type": "object",
                                "properties": {
                                  "username": {"type": "string", "title": "User name", "format": "username", "minLength": 1, "maxLength": 1000},
                                  "password": {
                                    "type": "string",
                                    "title": "Password",
                                    "format": "password",
                                    "minLength": 1,
                                    "maxLength": 1000,
                                    "writeOnly": true
                                  }
                                },
                                "required": ["username", "password"],
                                "additionalProperties": false
                              }
                            },
                            "cancel": {"type": "cancel", "label": "Cancel"}
                          },
                          "expires_at": 1793003600000
                        }
                      }
                    }
                  }
                },
                "links": {
                  "respond": {
                    "operationId": "respondToJourney",
                    "requestBody": {"state": "$response.body#/state", "option": "cancel"},
                    "description": "Send the state with the next answer."
                  },
                  "sign in": {
                    "operationId": "respondToJourney",
                    "requestBody": {
                      "state": "$response.body#/state",
                      "option": "password",
                      "data": {"username": "rowan", "password": "correct horse battery"}
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/NotAnAnswer"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"},
              "403": {"$ref": "#/components/responses/NotPermitted"}
            }
          }
        },
        "/v1/journeys/respond": {
          "post": {
            "operationId": "respondToJourney",
            "tags": ["Journeys"],
            "summary": "Answer a journey's step",
            "description": "A state token is valid for one answer. Sending the same answer again, for example after a broken connection, returns the same response; a different answer with a used token is rejected. If two answers arrive at once, one advances the journey.",
            "security": [],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"$ref": "#/components/schemas/RespondRequest"},
                  "examples": {
                    "a form": {
                      "value": {
                        "state": "run_K3v9sQ1mXc7TzLw0YfRbEg.3x0Jqv5mC1n8yKdT7eWbZ4uRaHs2LgPfOi9kVtXyQwE",
                        "option": "password",
                        "data": {"username": "rowan", "password": "correct horse battery"}
                      }
                    },
                    "cancel": {"value": {"state": "run_K3v9sQ1mXc7TzLw0YfRbEg.3x0Jqv5mC1n8yKdT7eWbZ4uRaHs2LgPfOi9kVtXyQwE", "option": "cancel"}}
                  }
                }
              }
            },
            "responses": {
              "200": {
                "description": "The next step, or the result.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {
                  "application/json": {
                    "schema": {"$ref": "#/components/schemas/JourneyAnswer"},
                    "examples": {
                      "prompt": {
                        "value": {
                          "state": "run_K3v9sQ1mXc7TzLw0YfRbEg.3x0Jqv5mC1n8yKdT7eWbZ4uRaHs2LgPfOi9kVtXyQwE",
                          "journey_step_id": "loginForm",
                          "data": {
                            "branches": [
                              {
                                "id": "password",
                                "label": "Password",
                                "kind": "password",
                                "schema": {
                                  "type": "object",
                                  "properties": {
                                    "username": {"type": "string", "title": "User name", "format": "username", "minLength": 1, "maxLength": 1000},
                                    "password": {
                                      "type": "string",
                                      "title": "Password",
                                      "format": "password",
                                      "minLength": 1,
                                      "maxLength": 1000,
                                      "writeOnly": true
                                    }
                                  },
                                  "required": ["username", "password"],
                                  "additionalProperties": false
                                }
                              }
                            ]
                          },
                          "client_response_options": {
                            "password": {
                              "type": "custom",
                              "label": "Password",
                              "schema": {
                                "type": "object",
                                "properties": {
                                  "username": {"type": "string", "title": "User name", "format": "username", "minLength": 1, "maxLength": 1000},
                                  "password": {
                                    "type": "string",
                                    "title": "Password",
                                    "format": "password",
                                    "minLength": 1,
                                    "maxLength": 1000,
                                    "writeOnly": true
                                  }
                                },
                                "required": ["username", "password"],
                                "additionalProperties": false
                              }
                            },
                            "cancel": {"type": "cancel", "label": "Cancel"}
                          },
                          "expires_at": 1793003600000
                        }
                      },
                      "success": {
                        "value": {
                          "journey_step_id": "success",
                          "client_response_options": {},
                          "token": "eyJhbGciOiJFUzI1NiIsImtpZCI6Ii4uLiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1c3JfLi4uIn0.c2lnbmF0dXJl",
                          "device_token": "dev_Qm3xTz8RkW1bLn5YvCd0eA.Zr7nM2kXvQ9tLbYw4sGdJ0hPfEuRc1aToIiNqVxKmBw",
                          "expires_at": 1793003600000
                        }
                      },
                      "rejection": {
                        "value": {
                          "journey_step_id": "rejection",
                          "error_data": {"cause": "rejected", "reason": "access_denied"},
                          "client_response_options": {},
                          "expires_at": 1793003600000
                        }
                      }
                    }
                  }
                },
                "links": {"respond": {"operationId": "respondToJourney", "requestBody": {"state": "$response.body#/state", "option": "cancel"}}}
              },
              "400": {"$ref": "#/components/responses/NotAnAnswer"},
              "409": {"$ref": "#/components/responses/InvalidState"},
              "410": {"$ref": "#/components/responses/NoActiveJourney"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/capture/start": {
          "post": {
            "operationId": "startCapture",
            "tags": ["Captures"],
            "summary": "Start a capture session",
            "description": "Returns what the session requires. If that is a live person, the server draws the actions, and the session's time starts. Repeating the request returns the same response. Frame times count from here: a client subtracts `elapsed` from the time when the response arrived.",
            "security": [{"startToken": []}],
            "responses": {
              "200": {
                "description": "The current state.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CaptureAnswer"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "409": {"$ref": "#/components/responses/CaptureClosed"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/capture/frames": {
          "post": {
            "operationId": "sendFrame",
            "tags": ["Captures"],
            "summary": "Send camera frames",
            "description": "In mode `image`: one picture per request, the next one after the response. A session for enrollment accepts further pictures after the first that passes and keeps the best eight, as descriptors. In live modes: frames as `application/vnd.mien.frames`, after `/v1/capture/start`, in order, without gaps or repetitions, within 5 s of being taken. A modified or late frame ends the session as `failed`, with reasons. Pictures are never stored.",
            "security": [{"startToken": []}],
            "requestBody": {
              "required": true,
              "description": "A JPEG, PNG, or GIF picture; the bytes determine the type, not the content type. Or 1 to 16 frames of a live capture, each: number, from 1 (4 bytes), milliseconds since the session started (4 bytes), link (32 bytes), length of the picture (4 bytes), the picture; integers are big-endian. The link is SHA-256(previous link ‖ number ‖ milliseconds ‖ picture), with number and milliseconds as 8 bytes each; the link before the first frame is SHA-256(\"mien/v1/capture-chain\" ‖ nonce).",
              "content": {
                "image/jpeg": {"schema": {"type": "string", "format": "binary", "contentMediaType": "image/jpeg"}},
                "image/png": {"schema": {"type": "string", "format": "binary", "contentMediaType": "image/png"}},
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
                "application/vnd.mien.frames": {"schema": {"type": "string", "format": "binary"}}
              }
            },
            "responses": {
              "200": {
                "description": "The result of the frame, and the state of the session.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {
                  "application/json": {
                    "schema": {"$ref": "#/components/schemas/CaptureAnswer"},
                    "examples": {
                      "further away": {
                        "value": {
                          "status": "open",
                          "guidance": ["face_too_far"],
                          "quality": 31,
                          "face": [412, 218, 96, 104],
                          "frames_left": 57,
                          "expires_at": 1793000120000
                        }
                      },
                      "turn left": {
                        "value": {
                          "status": "open",
                          "guidance": ["turn_left"],
                          "quality": 81,
                          "face": [212, 118, 196, 204],
                          "frames_left": 874,
                          "expires_at": 1793000120000,
                          "mode": "liveness_active",
                          "action": "turn_left",
                          "progress": 50,
                          "countdown": 57400,
                          "elapsed": 2600,
                          "next_frame": 27,
                          "nonce": "ZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmY"
                        }
                      }
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/ImageNotAccepted"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "409": {"$ref": "#/components/responses/CaptureRefused"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/capture": {
          "get": {
            "operationId": "getCapture",
            "tags": ["Captures"],
            "summary": "Get the state of a capture session",
            "security": [{"startToken": []}],
            "responses": {
              "200": {
                "description": "The current state.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CaptureAnswer"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "409": {"$ref": "#/components/responses/CaptureClosed"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "delete": {
            "operationId": "cancelCapture",
            "tags": ["Captures"],
            "summary": "Cancel a capture session",
            "description": "The captured data is deleted. A session that has ended does not change.",
            "security": [{"startToken": []}],
            "responses": {
              "200": {
                "description": "The current state.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CaptureAnswer"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "409": {"$ref": "#/components/responses/CaptureClosed"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/.well-known/openid-configuration": {
          "get": {
            "operationId": "openIDConfiguration",
            "tags": ["Tokens"],
            "summary": "OpenID Connect discovery",
            "security": [],
            "responses": {
              "200": {
                "description": "The endpoints and supported features.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Discovery"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/.well-known/oauth-authorization-server": {
          "get": {
            "operationId": "authorizationServer",
            "tags": ["Tokens"],
            "summary": "OAuth discovery",
            "security": [],
            "responses": {
              "200": {
                "description": "The endpoints and supported features.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Discovery"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/oauth2/authorize": {
          "get": {
            "operationId": "signInPage",
            "tags": ["Tokens"],
            "summary": "Show the sign-in page",
            "description": "An app redirects the browser here. Errors in the request are returned to the app, unless the redirect URI is unknown.",
            "security": [],
            "parameters": [
              {"name": "response_type", "in": "query", "required": false, "schema": {"type": "string"}, "description": "`code`."},
              {"name": "client_id", "in": "query", "required": false, "schema": {"type": "string"}, "description": "The app's ID."},
              {
                "name": "redirect_uri",
                "in": "query",
                "required": false,
                "schema": {"type": "string"},
                "description": "One of the app's redirect URIs, compared character by character."
              },
              {"name": "scope", "in": "query", "required": false, "schema": {"type": "string"}, "description": "Space-separated scopes."},
              {
                "name": "state",
                "in": "query",
                "required": false,
                "schema": {"type": "string"},
                "description": "Returned unchanged; at most 1,024 bytes."
              },
              {"name": "nonce", "in": "query", "required": false, "schema": {"type": "string"}, "description": "Returned in the ID token."},
              {"name": "code_challenge", "in": "query", "required": false, "schema": {"type": "string"}, "description": "RFC 7636; required."},
              {"name": "code_challenge_method", "in": "query", "required": false, "schema": {"type": "string"}, "description": "`S256`."},
              {"name": "resource", "in": "query", "required": false, "schema": {"type": "string"}, "description": "A service the tokens are for."},
              {
                "name": "dpop_jkt",
                "in": "query",
                "required": false,
                "schema": {"type": "string"},
                "description": "Thumbprint of the key the code is bound to."
              },
              {"name": "login_hint", "in": "query", "required": false, "schema": {"type": "string"}, "description": "Prefills the name."},
              {
                "name": "prompt",
                "in": "query",
                "required": false,
                "schema": {"type": "string"},
                "description": "`none` always returns `login_required`."
              }
            ],
            "responses": {
              "200": {
                "description": "The page.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "303": {
                "description": "Redirect to the app, with `code`, `state`, and `iss`, or with `error`.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}, "location": {"schema": {"type": "string"}, "required": true}}
              },
              "400": {
                "description": "The link is invalid.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "post": {
            "operationId": "signIn",
            "tags": ["Tokens"],
            "summary": "Submit the sign-in page's form",
            "security": [],
            "parameters": [
              {"name": "response_type", "in": "query", "required": false, "schema": {"type": "string"}, "description": "`code`."},
              {"name": "client_id", "in": "query", "required": false, "schema": {"type": "string"}, "description": "The app's ID."},
              {
                "name": "redirect_uri",
                "in": "query",
                "required": false,
                "schema": {"type": "string"},
                "description": "One of the app's redirect URIs, compared character by character."
              },
              {"name": "scope", "in": "query", "required": false, "schema": {"type": "string"}, "description": "Space-separated scopes."},
              {
                "name": "state",
                "in": "query",
                "required": false,
                "schema": {"type": "string"},
                "description": "Returned unchanged; at most 1,024 bytes."
              },
              {"name": "nonce", "in": "query", "required": false, "schema": {"type": "string"}, "description": "Returned in the ID token."},
              {"name": "code_challenge", "in": "query", "required": false, "schema": {"type": "string"}, "description": "RFC 7636; required."},
              {"name": "code_challenge_method", "in": "query", "required": false, "schema": {"type": "string"}, "description": "`S256`."},
              {"name": "resource", "in": "query", "required": false, "schema": {"type": "string"}, "description": "A service the tokens are for."},
              {
                "name": "dpop_jkt",
                "in": "query",
                "required": false,
                "schema": {"type": "string"},
                "description": "Thumbprint of the key the code is bound to."
              },
              {"name": "login_hint", "in": "query", "required": false, "schema": {"type": "string"}, "description": "Prefills the name."},
              {
                "name": "prompt",
                "in": "query",
                "required": false,
                "schema": {"type": "string"},
                "description": "`none` always returns `login_required`."
              }
            ],
            "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/SignInForm"}}}},
            "responses": {
              "303": {
                "description": "Redirect to the app, with `code`, `state`, and `iss`, or with `error`.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}, "location": {"schema": {"type": "string"}, "required": true}}
              },
              "400": {
                "description": "The link is invalid, or the form came from another origin.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "401": {
                "description": "The page again: the user is not signed in.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {
                "description": "The body is not a form.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/oauth2/challenge": {
          "post": {
            "operationId": "challenge",
            "tags": ["Tokens"],
            "summary": "Get a challenge for a device to sign",
            "security": [],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"$ref": "#/components/schemas/ChallengeRequest"},
                  "examples": {"biometric": {"value": {"purpose": "biometric_request"}}}
                }
              }
            },
            "responses": {
              "200": {
                "description": "The challenge.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ChallengeAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/TokenRefused"},
              "413": {"$ref": "#/components/responses/TokenRequestRefused"},
              "415": {"$ref": "#/components/responses/TokenRequestRefused"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/TokenServiceFailed"},
              "503": {"$ref": "#/components/responses/TokenServiceFailed"}
            }
          }
        },
        "/oauth2/token": {
          "post": {
            "operationId": "token",
            "tags": ["Tokens"],
            "summary": "Get tokens",
            "description": "Accepts an authorization code, a refresh token, a journey's token, a request signed with a device key, or the app's own credentials. Biometric setup requires `Authorization: Bearer` of a signed-in user and returns an empty body. A `DPoP` proof binds the tokens to its key.",
            "security": [{}, {"client": []}, {"accessToken": []}],
            "requestBody": {
              "required": true,
              "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/TokenRequest"}}}
            },
            "responses": {
              "200": {
                "description": "Tokens; empty after biometric setup.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/TokenRefused"},
              "401": {"$ref": "#/components/responses/ClientRefused"},
              "413": {"$ref": "#/components/responses/TokenRequestRefused"},
              "415": {"$ref": "#/components/responses/TokenRequestRefused"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/TokenServiceFailed"},
              "503": {"$ref": "#/components/responses/TokenServiceFailed"}
            }
          }
        },
        "/oauth2/revoke": {
          "post": {
            "operationId": "revoke",
            "tags": ["Tokens"],
            "summary": "Revoke a token",
            "description": "RFC 7009. Revoking a refresh token ends its sign-in; revoking an access token ends that token. An unknown token is not an error.",
            "security": [{}, {"client": []}],
            "requestBody": {
              "required": true,
              "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/TokenToLookAt"}}}
            },
            "responses": {
              "200": {"description": "The token is no longer valid.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/TokenRefused"},
              "401": {"$ref": "#/components/responses/ClientRefused"},
              "413": {"$ref": "#/components/responses/TokenRequestRefused"},
              "415": {"$ref": "#/components/responses/TokenRequestRefused"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/TokenServiceFailed"},
              "503": {"$ref": "#/components/responses/TokenServiceFailed"}
            }
          }
        },
        "/oauth2/introspect": {
          "post": {
            "operationId": "introspect",
            "tags": ["Tokens"],
            "summary": "Introspect a token",
            "description": "RFC 7662, for confidential apps.",
            "security": [{"client": []}],
            "requestBody": {
              "required": true,
              "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/TokenToLookAt"}}}
            },
            "responses": {
              "200": {
                "description": "The token's state and claims.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Introspection"}}}
              },
              "400": {"$ref": "#/components/responses/TokenRefused"},
              "401": {"$ref": "#/components/responses/ClientRefused"},
              "413": {"$ref": "#/components/responses/TokenRequestRefused"},
              "415": {"$ref": "#/components/responses/TokenRequestRefused"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/TokenServiceFailed"},
              "503": {"$ref": "#/components/responses/TokenServiceFailed"}
            }
          }
        },
        "/oauth2/userinfo": {
          "get": {
            "operationId": "userInfo",
            "tags": ["Tokens"],
            "summary": "Get the user's claims",
            "security": [{"accessToken": []}],
            "responses": {
              "200": {
                "description": "The claims that the scopes allow.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UserInfo"}}}
              },
              "400": {"$ref": "#/components/responses/TokenRefused"},
              "401": {"$ref": "#/components/responses/ClientRefused"},
              "403": {"$ref": "#/components/responses/ScopeMissing"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/TokenServiceFailed"},
              "503": {"$ref": "#/components/responses/TokenServiceFailed"}
            }
          },
          "post": {
            "operationId": "userInfoByPost",
            "tags": ["Tokens"],
            "summary": "Get the user's claims",
            "security": [{"accessToken": []}],
            "responses": {
              "200": {
                "description": "The claims that the scopes allow.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UserInfo"}}}
              },
              "400": {"$ref": "#/components/responses/TokenRefused"},
              "401": {"$ref": "#/components/responses/ClientRefused"},
              "403": {"$ref": "#/components/responses/ScopeMissing"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/TokenServiceFailed"},
              "503": {"$ref": "#/components/responses/TokenServiceFailed"}
            }
          }
        },
        "/v1/me/biometrics": {
          "get": {
            "operationId": "ownKeys",
            "tags": ["Own keys"],
            "summary": "List the user's device keys in this app",
            "description": "Only if `identity.biometric.list_enabled` is set.",
            "security": [{"accessToken": []}],
            "responses": {
              "200": {
                "description": "The keys.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OwnKeys"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/me/biometrics/{key}": {
          "parameters": [{"$ref": "#/components/parameters/Key"}],
          "patch": {
            "operationId": "renameOwnKey",
            "tags": ["Own keys"],
            "summary": "Rename a key",
            "security": [{"accessToken": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/KeyNameRequest"}}}},
            "responses": {
              "204": {"description": "The key was renamed.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "delete": {
            "operationId": "removeOwnKey",
            "tags": ["Own keys"],
            "summary": "Remove a key",
            "description": "Ends the sign-ins it produced.",
            "security": [{"accessToken": []}],
            "responses": {
              "204": {"description": "Removed.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "401": {"$ref": "#/components/responses/SignInTooWeak"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/webauthn/register/options": {
          "post": {
            "operationId": "passkeyRegistrationOptions",
            "tags": ["Passkeys"],
            "summary": "Get options for creating a passkey",
            "description": "Passkeys belong to the server's domain: all its apps accept them.",
            "security": [{"accessToken": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RegistrationOptionsRequest"}}}},
            "responses": {
              "200": {
                "description": "For `navigator.credentials.create`, by `PublicKeyCredential.parseCreationOptionsFromJSON`. The challenge is valid once, for five minutes.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PasskeyRegistrationOptions"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/SignInTooWeak"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/webauthn/register": {
          "post": {
            "operationId": "registerPasskey",
            "tags": ["Passkeys"],
            "summary": "Register a passkey",
            "description": "The result of `navigator.credentials.create`, by its `toJSON()`. An attestation statement is verified if there is one.",
            "security": [{"accessToken": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RegisterPasskeyRequest"}}}},
            "responses": {
              "200": {
                "description": "The passkey is registered.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OwnPasskey"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/SignInTooWeak"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/webauthn/login/options": {
          "post": {
            "operationId": "passkeySignInOptions",
            "tags": ["Passkeys"],
            "summary": "Get options for signing in with a passkey",
            "description": "With a `username`, the response has ten credential IDs, whether or not the user exists. Without one, the browser offers the passkeys it finds.",
            "security": [],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignInOptionsRequest"}}}},
            "responses": {
              "200": {
                "description": "For `navigator.credentials.get`, by `PublicKeyCredential.parseRequestOptionsFromJSON`. The challenge is valid once, for five minutes.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PasskeySignInOptions"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/webauthn/login": {
          "post": {
            "operationId": "passkeySignIn",
            "tags": ["Passkeys"],
            "summary": "Sign in with a passkey",
            "description": "The result of `navigator.credentials.get`, by its `toJSON()`. All invalid responses are rejected in the same way. A `DPoP` proof binds the tokens to its key.",
            "security": [],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PasskeySignInRequest"}}}},
            "responses": {
              "200": {
                "description": "Tokens.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/me/passkeys": {
          "get": {
            "operationId": "ownPasskeys",
            "tags": ["Passkeys"],
            "summary": "List the user's passkeys",
            "security": [{"accessToken": []}],
            "responses": {
              "200": {
                "description": "The passkeys.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OwnPasskeys"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/me/passkeys/{passkey}": {
          "parameters": [{"$ref": "#/components/parameters/Passkey"}],
          "patch": {
            "operationId": "renameOwnPasskey",
            "tags": ["Passkeys"],
            "summary": "Rename a passkey",
            "security": [{"accessToken": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/KeyNameRequest"}}}},
            "responses": {
              "204": {"description": "The key was renamed.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "delete": {
            "operationId": "removeOwnPasskey",
            "tags": ["Passkeys"],
            "summary": "Remove a passkey",
            "description": "Ends the sign-ins it produced. A passkey that an administrator or a journey has locked is not removed: `conflict`. Failures still count towards the user's other and later passkeys.",
            "security": [{"accessToken": []}],
            "responses": {
              "204": {"description": "Removed.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "401": {"$ref": "#/components/responses/SignInTooWeak"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/otp/tokens": {
          "post": {
            "operationId": "redeemOTPRegistration",
            "tags": ["One-time codes"],
            "summary": "Get an OTP token for a device",
            "description": "The device sends the user's registration code and its own public key. The code is valid once, for ten minutes; the user's previous OTP token in this app ends. If the response was lost, sending the code again with the same key returns the same token, within the ten minutes and until one of the token's codes has been used. All invalid codes get the same response.",
            "security": [],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RedeemOTPRequest"}}}},
            "responses": {
              "201": {
                "description": "The OTP token, with its secret encrypted to the key.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OTPTokenAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/notices": {
          "get": {
            "operationId": "noticePage",
            "tags": ["Notices"],
            "summary": "Show the action of a mailed link",
            "description": "Changes nothing, so that mail scanners can open the link. A wrong code and an expired code get the same response.",
            "security": [],
            "parameters": [{"name": "code", "in": "query", "required": false, "schema": {"type": "string"}, "description": "The link's code."}],
            "responses": {
              "200": {
                "description": "A page with a button that performs the action.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "404": {
                "description": "The code is wrong or has expired.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "410": {
                "description": "The link was used, or its subject has been removed or replaced since.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "post": {
            "operationId": "useNotice",
            "tags": ["Notices"],
            "summary": "Perform the action of a mailed link",
            "description": "Sent by the page's form. A link works once and does one thing: it removes the authenticator that the email was about, locked or not, for seven days; or it cancels the recovery that the email was about. The code replaces a sign-in.",
            "security": [],
            "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/NoticeForm"}}}},
            "responses": {
              "200": {
                "description": "The action was performed.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "400": {
                "description": "The form is malformed.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "404": {
                "description": "The code is wrong or has expired.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "410": {
                "description": "The link was used, or its subject has been removed or replaced since.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {
                "description": "The body is not a form.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/html": {"schema": {"type": "string"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/me/otp/registrations": {
          "post": {
            "operationId": "offerOwnOTP",
            "tags": ["One-time codes"],
            "summary": "Create a registration code",
            "description": "For a device of the caller. Invalidates an earlier code.",
            "security": [{"accessToken": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OTPRegistrationRequest"}}}},
            "responses": {
              "201": {
                "description": "The code, returned only once.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OTPRegistrationAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/SignInTooWeak"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/me/otp/tokens": {
          "get": {
            "operationId": "listOwnOTPTokens",
            "tags": ["One-time codes"],
            "summary": "List the user's OTP token in this app",
            "security": [{"accessToken": []}],
            "responses": {
              "200": {
                "description": "None or one.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OwnOTPTokens"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/me/otp/tokens/{token}": {
          "parameters": [{"$ref": "#/components/parameters/Token"}],
          "delete": {
            "operationId": "removeOwnOTPToken",
            "tags": ["One-time codes"],
            "summary": "Remove the user's OTP token",
            "description": "Ends the sign-ins it produced. An OTP token that an administrator has locked is not removed.",
            "security": [{"accessToken": []}],
            "responses": {
              "204": {"description": "Removed.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "401": {"$ref": "#/components/responses/SignInTooWeak"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/apps": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "get": {
            "operationId": "listApps",
            "tags": ["Apps"],
            "summary": "List apps",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "All apps.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AppPage"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "post": {
            "operationId": "createApp",
            "tags": ["Apps"],
            "summary": "Create an app",
            "security": [{"admin": []}],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"$ref": "#/components/schemas/AppRequest"},
                  "examples": {
                    "public": {"value": {"name": "Shop on phones", "client": "mien"}},
                    "confidential": {
                      "value": {
                        "id": "shop",
                        "name": "Shop",
                        "type": "confidential",
                        "settings": {
                          "redirect_uris": ["https://shop.example/signed-in"],
                          "journeys": ["password-login", "face-login"],
                          "locks": {"face": {"failed_attempts": 3, "lockout_seconds": 60, "disable_after": 30}},
                          "face_threshold": 52,
                          "token_seconds": 120
                        }
                      }
                    }
                  }
                }
              }
            },
            "responses": {
              "201": {
                "description": "The app; if it is confidential, with `client_secret`, returned only once.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {
                  "application/json": {
                    "schema": {"$ref": "#/components/schemas/AppAnswer"},
                    "examples": {
                      "confidential": {
                        "value": {
                          "id": "shop",
                          "name": "Shop",
                          "type": "confidential",
                          "first_party": true,
                          "settings": {
                            "redirect_uris": ["https://shop.example/signed-in"],
                            "journeys": ["password-login", "face-login"],
                            "locks": {"face": {"failed_attempts": 3, "lockout_seconds": 60, "disable_after": 30}},
                            "face_threshold": 52,
                            "token_seconds": 120
                          },
                          "client_secret": "shop.h8Xq2vLmT5yRk0JwBdGnFeUa9iOt1xVbNmCqEwpM4cz",
                          "created_at": 1793000000000
                        }
                      }
                    }
                  }
                },
                "links": {
                  "get": {"operationId": "getApp", "parameters": {"app": "$response.body#/id"}},
                  "change": {"operationId": "changeApp", "parameters": {"app": "$response.body#/id"}},
                  "new secret": {"operationId": "renewAppSecret", "parameters": {"app": "$response.body#/id"}},
                  "delete": {"operationId": "deleteApp", "parameters": {"app": "$response.body#/id"}}
                }
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/apps/{app}": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/App"}],
          "get": {
            "operationId": "getApp",
            "tags": ["Apps"],
            "summary": "Get an app",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "The app's ID.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AppAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "put": {
            "operationId": "changeApp",
            "tags": ["Apps"],
            "summary": "Change an app's name or settings",
            "security": [{"admin": []}],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"$ref": "#/components/schemas/AppRequest"},
                  "examples": {
                    "settings": {
                      "value": {
                        "name": "Shop",
                        "settings": {
                          "redirect_uris": ["https://shop.example/signed-in"],
                          "journeys": ["password-login", "face-login"],
                          "locks": {"face": {"failed_attempts": 3, "lockout_seconds": 60, "disable_after": 30}},
                          "face_threshold": 52,
                          "token_seconds": 120
                        }
                      }
                    }
                  }
                }
              }
            },
            "responses": {
              "200": {
                "description": "The updated app.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AppAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "delete": {
            "operationId": "deleteApp",
            "tags": ["Apps"],
            "summary": "Delete an app",
            "description": "Erases its users' faces and device keys.",
            "security": [{"admin": []}],
            "responses": {
              "204": {"description": "Removed.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/apps/{app}/secret": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/App"}],
          "post": {
            "operationId": "renewAppSecret",
            "tags": ["Apps"],
            "summary": "Create a new secret for a confidential app",
            "description": "The old secret stops working at once.",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "The app, with `client_secret`.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AppAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/users": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "get": {
            "operationId": "listUsers",
            "tags": ["Users"],
            "summary": "List users, or find one",
            "security": [{"admin": []}],
            "parameters": [
              {
                "name": "identifier",
                "in": "query",
                "schema": {"type": "string"},
                "example": "rowan@example.org",
                "description": "A user name, an email address, or an external ID: returns the user who has it, or nobody."
              },
              {
                "name": "after",
                "in": "query",
                "schema": {"$ref": "#/components/schemas/Identifier"},
                "description": "`next` of the previous page; 409 if that user has been deleted since."
              }
            ],
            "responses": {
              "200": {
                "description": "At most 100 users, the oldest first.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UserPage"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "post": {
            "operationId": "createUser",
            "tags": ["Users"],
            "summary": "Create a user",
            "security": [{"admin": []}],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"$ref": "#/components/schemas/NewUserRequest"},
                  "examples": {
                    "with a password": {
                      "value": {
                        "external_id": "crm-1042",
                        "username": "rowan",
                        "email": "rowan@example.org",
                        "password": "correct horse battery",
                        "attributes": {"language": "en"}
                      }
                    },
                    "known elsewhere": {"value": {"external_id": "crm-1043"}}
                  }
                }
              }
            },
            "responses": {
              "201": {
                "description": "The user.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {
                  "application/json": {
                    "schema": {"$ref": "#/components/schemas/UserAnswer"},
                    "examples": {
                      "user": {
                        "value": {
                          "id": "usr_0c9JkYH2dTq4m8wXzR1aBg",
                          "external_id": "crm-1042",
                          "username": "rowan",
                          "email": "rowan@example.org",
                          "email_verified": true,
                          "state": "active",
                          "attributes": {"language": "en"},
                          "created_at": 1793000000000
                        }
                      }
                    }
                  }
                },
                "links": {
                  "get": {"operationId": "getUser", "parameters": {"user": "$response.body#/id"}},
                  "change": {"operationId": "changeUser", "parameters": {"user": "$response.body#/id"}},
                  "authenticators": {"operationId": "listAuthenticators", "parameters": {"user": "$response.body#/id"}},
                  "consents": {"operationId": "listConsents", "parameters": {"user": "$response.body#/id"}},
                  "delete": {"operationId": "deleteUser", "parameters": {"user": "$response.body#/id"}}
                }
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/users/{user}": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/User"}],
          "get": {
            "operationId": "getUser",
            "tags": ["Users"],
            "summary": "Get a user",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "The user.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UserAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "patch": {
            "operationId": "changeUser",
            "tags": ["Users"],
            "summary": "Change a user",
            "security": [{"admin": []}],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"$ref": "#/components/schemas/UserRequest"},
                  "examples": {"suspend": {"value": {"state": "suspended"}}, "another password": {"value": {"password": "staple battery horse"}}}
                }
              }
            },
            "responses": {
              "200": {
                "description": "The updated user.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UserAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "delete": {
            "operationId": "deleteUser",
            "tags": ["Users"],
            "summary": "Delete a user",
            "description": "Destroys the user's key, and with it everything sealed under it: profile, face, password.",
            "security": [{"admin": []}],
            "responses": {
              "204": {"description": "The user is deleted.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/users/{user}/compromised": {
          "parameters": [{"$ref": "#/components/parameters/User"}],
          "post": {
            "operationId": "markUserCompromised",
            "tags": ["Users"],
            "summary": "End everything opened with a user's credentials",
            "description": "For compromised credentials. Sign-ins, known devices, running journeys, unexchanged journey tokens, and unused codes end at once. The credentials themselves remain: change the password and remove authenticators as well.",
            "security": [{"admin": []}],
            "responses": {
              "204": {"description": "Everything opened earlier has ended.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ]
        },
        "/v1/users/{user}/authenticators": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/User"}],
          "get": {
            "operationId": "listAuthenticators",
            "tags": ["Users"],
            "summary": "List a user's authenticators",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "All apps.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AuthenticatorPage"}}},
                "links": {
                  "unlock": {
                    "operationId": "unlockAuthenticator",
                    "parameters": {"user": "$request.path.user", "authenticator": "$response.body#/items/0/id"}
                  },
                  "lock": {
                    "operationId": "lockAuthenticator",
                    "parameters": {"user": "$request.path.user", "authenticator": "$response.body#/items/0/id"}
                  },
                  "remove": {
                    "operationId": "removeAuthenticator",
                    "parameters": {"user": "$request.path.user", "authenticator": "$response.body#/items/0/id"}
                  }
                }
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/users/{user}/authenticators/{authenticator}": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/User"}, {"$ref": "#/components/parameters/Authenticator"}],
          "delete": {
            "operationId": "removeAuthenticator",
            "tags": ["Users"],
            "summary": "Remove an authenticator",
            "description": "For a face, erases the template.",
            "security": [{"admin": []}],
            "responses": {
              "204": {"description": "Removed.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/users/{user}/authenticators/{authenticator}/unlock": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/User"}, {"$ref": "#/components/parameters/Authenticator"}],
          "post": {
            "operationId": "unlockAuthenticator",
            "tags": ["Users"],
            "summary": "Unlock an authenticator",
            "description": "Removes every lock for all callers and resets the failure counts. Unlocking an open authenticator has no effect.",
            "security": [{"admin": []}],
            "responses": {
              "204": {"description": "The authenticator is unlocked.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/users/{user}/authenticators/{authenticator}/lock": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/User"}, {"$ref": "#/components/parameters/Authenticator"}],
          "post": {
            "operationId": "lockAuthenticator",
            "tags": ["Users"],
            "summary": "Lock an authenticator",
            "description": "For all callers, until it is unlocked.",
            "security": [{"admin": []}],
            "responses": {
              "204": {"description": "The authenticator is locked.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/users/{user}/consents": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/User"}],
          "get": {
            "operationId": "listConsents",
            "tags": ["Users"],
            "summary": "List a user's consents",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "All consents, including withdrawn ones.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ConsentPage"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/users/{user}/consents/{app}": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/User"}, {"$ref": "#/components/parameters/App"}],
          "delete": {
            "operationId": "withdrawConsent",
            "tags": ["Users"],
            "summary": "Withdraw a user's consent",
            "description": "For one app; also erases the user's face there.",
            "security": [{"admin": []}],
            "responses": {
              "204": {"description": "The consent is withdrawn.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/users/{user}/otp/{app}/registrations": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/User"}, {"$ref": "#/components/parameters/App"}],
          "post": {
            "operationId": "offerOTP",
            "tags": ["One-time codes"],
            "summary": "Create a registration code for a user",
            "description": "For one app. Invalidates an earlier code of this user and app.",
            "security": [{"admin": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OTPRegistrationRequest"}}}},
            "responses": {
              "201": {
                "description": "The code, returned only once.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OTPRegistrationAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/journeys": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "get": {
            "operationId": "listJourneys",
            "tags": ["Journey versions"],
            "summary": "List journeys and their versions",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "All apps.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/JourneyVersionPage"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/journeys/{journey}/versions/{version}": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/Journey"}, {"$ref": "#/components/parameters/Version"}],
          "get": {
            "operationId": "getJourney",
            "tags": ["Journey versions"],
            "summary": "Get a journey's definition",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "The definition as it was saved.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {
                  "application/json": {
                    "schema": {"$ref": "#/components/schemas/JourneyDefinition"},
                    "examples": {
                      "journey": {
                        "value": {
                          "id": "quick-login",
                          "version": 1,
                          "title": "Log in with a password",
                          "start": "form",
                          "steps": {
                            "form": {
                              "type": "login_form",
                              "config": {"branches": [{"id": "password"}], "output_variable": "form"},
                              "on": {"password": "check"}
                            },
                            "check": {
                              "type": "authenticate_password",
                              "config": {"username": "form.username", "password": "form.password"},
                              "on": {"success": "done", "failure": "refused"}
                            },
                            "done": {"type": "complete_journey"},
                            "refused": {"type": "reject_access"}
                          }
                        }
                      }
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "put": {
            "operationId": "saveJourney",
            "tags": ["Journey versions"],
            "summary": "Save a draft",
            "description": "Creates a version or replaces a draft; `id` and `version` must match the path. A definition with linter errors is rejected.",
            "security": [{"admin": []}],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"$ref": "#/components/schemas/JourneyDefinition"},
                  "examples": {
                    "journey": {
                      "value": {
                        "id": "quick-login",
                        "version": 1,
                        "title": "Log in with a password",
                        "start": "form",
                        "steps": {
                          "form": {
                            "type": "login_form",
                            "config": {"branches": [{"id": "password"}], "output_variable": "form"},
                            "on": {"password": "check"}
                          },
                          "check": {
                            "type": "authenticate_password",
                            "config": {"username": "form.username", "password": "form.password"},
                            "on": {"success": "done", "failure": "refused"}
                          },
                          "done": {"type": "complete_journey"},
                          "refused": {"type": "reject_access"}
                        }
                      }
                    }
                  }
                }
              }
            },
            "responses": {
              "201": {
                "description": "The draft.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/JourneyVersionAnswer"}}},
                "links": {
                  "publish": {"operationId": "publishJourney", "parameters": {"journey": "$request.path.journey", "version": "$request.path.version"}},
                  "read": {"operationId": "getJourney", "parameters": {"journey": "$request.path.journey", "version": "$request.path.version"}},
                  "retire": {"operationId": "retireJourney", "parameters": {"journey": "$request.path.journey", "version": "$request.path.version"}}
                }
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/journeys/{journey}/versions/{version}/publish": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/Journey"}, {"$ref": "#/components/parameters/Version"}],
          "post": {
            "operationId": "publishJourney",
            "tags": ["Journey versions"],
            "summary": "Publish a draft",
            "description": "New runs use this version; the previously published version is retired.",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "The version.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/JourneyVersionAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/journeys/{journey}/versions/{version}/retire": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/Journey"}, {"$ref": "#/components/parameters/Version"}],
          "post": {
            "operationId": "retireJourney",
            "tags": ["Journey versions"],
            "summary": "Retire a published version",
            "description": "The journey cannot be started until a version is published; existing runs continue.",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "The version.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/JourneyVersionAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/audit": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "get": {
            "operationId": "listAudit",
            "tags": ["Audit"],
            "summary": "Read the audit log",
            "security": [{"admin": []}],
            "parameters": [
              {
                "name": "after",
                "in": "query",
                "schema": {"type": "integer", "format": "int64", "minimum": 0, "default": 0},
                "description": "`next` of the previous page, or the number of an entry."
              },
              {"name": "user", "in": "query", "schema": {"$ref": "#/components/schemas/Identifier"}, "description": "Only entries about this user."}
            ],
            "responses": {
              "200": {
                "description": "At most 100 users, the oldest first.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AuditPage"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/audit/verify": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "get": {
            "operationId": "verifyAudit",
            "tags": ["Audit"],
            "summary": "Verify the audit log",
            "description": "Verifies the whole log.",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "The result.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AuditVerdictAnswer"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/audit/segment": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "get": {
            "operationId": "exportAudit",
            "tags": ["Audit"],
            "summary": "Export part of the audit log",
            "description": "Entries in their stored form, so that their hashes can be computed elsewhere. The next part starts after the last entry; `entries` is empty at the end.",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "At most 500 entries, oldest first.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AuditSegmentAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            },
            "parameters": [
              {
                "name": "after",
                "in": "query",
                "schema": {"type": "integer", "format": "int64", "minimum": 0},
                "description": "The number of an entry; by default, that of the last pruned entry, or 0."
              }
            ]
          }
        },
        "/v1/audit/prune": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "post": {
            "operationId": "pruneAudit",
            "tags": ["Audit"],
            "summary": "Remove exported entries from the audit log",
            "description": "Removes the entries up to one whose number and hash the caller knows from an exported file. They are verified first; a modified log is not pruned.",
            "security": [{"admin": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AuditPlace"}}}},
            "responses": {
              "200": {
                "description": "The number of removed entries.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AuditPruneAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/healthz": {
          "get": {
            "operationId": "health",
            "tags": ["Operation"],
            "summary": "Check whether the server is alive",
            "security": [],
            "responses": {
              "200": {
                "description": "The server is alive.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/readyz": {
          "get": {
            "operationId": "readiness",
            "tags": ["Operation"],
            "summary": "Check whether the server is ready",
            "description": "Reads the database.",
            "security": [],
            "responses": {
              "200": {
                "description": "The server is ready.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/metrics": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "get": {
            "operationId": "metrics",
            "tags": ["Operation"],
            "summary": "Metrics for Prometheus",
            "description": "Text exposition format 0.0.4.",
            "security": [],
            "responses": {
              "200": {
                "description": "Counters and histograms.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"text/plain; version=0.0.4; charset=utf-8": {"schema": {"type": "string"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/.well-known/jwks.json": {
          "get": {
            "operationId": "keys",
            "tags": ["Operation"],
            "summary": "Get the public keys of the tokens",
            "description": "May be cached for 300 seconds. A retired key is listed until its last token has expired.",
            "security": [],
            "responses": {
              "200": {
                "description": "The keys, the newest first.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/KeySet"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/openapi.json": {
          "get": {
            "operationId": "description",
            "tags": ["Operation"],
            "summary": "Get this document",
            "security": [],
            "responses": {
              "200": {
                "description": "OpenAPI 3.1.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"type": "object"}}}
              },
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/licences": {
          "post": {
            "operationId": "activateDevice",
            "tags": ["Licenses"],
            "summary": "Get a license for a device",
            "description": "Exchanges a product key. The same device gets a new license and counts once.",
            "security": [],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LicenseRequest"}}}},
            "responses": {
              "201": {
                "description": "The license, and the key that verifies it.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LicenseAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/product-keys": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "get": {
            "operationId": "listProductKeys",
            "tags": ["Licenses"],
            "summary": "List product keys",
            "security": [{"admin": []}],
            "responses": {
              "200": {
                "description": "All product keys, including revoked ones.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ProductKeyPage"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "post": {
            "operationId": "makeProductKey",
            "tags": ["Licenses"],
            "summary": "Create a product key",
            "security": [{"admin": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ProductKeyRequest"}}}},
            "responses": {
              "201": {
                "description": "The key; `product_key` is returned only once.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ProductKeyAnswer"}}}
              },
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/product-keys/{productkey}": {
          "servers": [
            {
              "url": "{admin}",
              "description": "The address of the setting admin.listen.",
              "variables": {"admin": {"default": "http://127.0.0.1:8081", "description": "As the server prints it: “Admin API on …”."}}
            }
          ],
          "parameters": [{"$ref": "#/components/parameters/ProductKey"}],
          "delete": {
            "operationId": "revokeProductKey",
            "tags": ["Licenses"],
            "summary": "Revoke a product key",
            "description": "The key activates no more devices; existing licenses stay valid until they expire.",
            "security": [{"admin": []}],
            "responses": {
              "204": {"description": "The key is revoked.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/me/recovery-codes": {
          "get": {
            "operationId": "ownRecoveryCodes",
            "tags": ["Recovery"],
            "summary": "Get the number of recovery codes left",
            "security": [{"accessToken": []}],
            "responses": {
              "200": {
                "description": "The number, and when the codes were created.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RecoveryCodesStatus"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "post": {
            "operationId": "makeRecoveryCodes",
            "tags": ["Recovery"],
            "summary": "Create ten recovery codes",
            "description": "Invalidates the user's earlier codes. The codes are returned only once; the server stores keyed hashes. The user is notified by email.",
            "security": [{"accessToken": []}],
            "responses": {
              "201": {
                "description": "The codes.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RecoveryCodes"}}}
              },
              "401": {"$ref": "#/components/responses/SignInTooWeak"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "delete": {
            "operationId": "removeRecoveryCodes",
            "tags": ["Recovery"],
            "summary": "Remove the recovery codes",
            "security": [{"accessToken": []}],
            "responses": {
              "204": {"description": "The user is deleted.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "401": {"$ref": "#/components/responses/SignInTooWeak"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "409": {"$ref": "#/components/responses/Conflict"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/me/recovery": {
          "get": {
            "operationId": "ownRecoveries",
            "tags": ["Recovery"],
            "summary": "List pending recoveries",
            "description": "Requests to recover the account that are not completed, canceled, or expired. Show them wherever the user is signed in.",
            "security": [{"accessToken": []}],
            "responses": {
              "200": {
                "description": "The recoveries.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OwnRecoveries"}}}
              },
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          },
          "delete": {
            "operationId": "cancelRecovery",
            "tags": ["Recovery"],
            "summary": "Cancel pending recoveries",
            "description": "A sign-in can cancel recoveries that were requested after it.",
            "security": [{"accessToken": []}],
            "responses": {
              "204": {"description": "Canceled.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "403": {"$ref": "#/components/responses/NotPermitted"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        },
        "/v1/recovery/cancel": {
          "post": {
            "operationId": "cancelRecoveryByDevice",
            "tags": ["Recovery"],
            "summary": "Cancel recoveries from a known device",
            "description": "The device token replaces a sign-in. A device can cancel recoveries that were requested after the user first signed in on it. An unknown device and a device with nothing to cancel get the same response.",
            "security": [],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CancelRecoveryRequest"}}}},
            "responses": {
              "204": {"description": "Canceled.", "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}}},
              "400": {"$ref": "#/components/responses/InvalidRequest"},
              "401": {"$ref": "#/components/responses/InvalidCredentials"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "413": {"$ref": "#/components/responses/PayloadTooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "429": {"$ref": "#/components/responses/TooManyRequests"},
              "500": {"$ref": "#/components/responses/ServerError"},
              "503": {"$ref": "#/components/responses/Unavailable"}
            }
          }
        }
      },
      "components": {
        "securitySchemes": {
          "admin": {"type": "http", "scheme": "bearer", "description": "The admin credential that the first start prints: `adm_….…`."},
          "startToken": {"type": "http", "scheme": "bearer", "description": "The start token of one capture session, from a journey's step: `cap_….…`."},
          "accessToken": {
            "type": "http",
            "scheme": "bearer",
            "description": "An access token of an app's user; if it is bound to a key, with `DPoP` and a proof (RFC 9449)."
          },
          "client": {
            "type": "http",
            "scheme": "basic",
            "description": "A confidential app's `client_id` and `client_secret`; both may also be sent in the form."
          }
        },
        "parameters": {
          "App": {
            "name": "app",
            "in": "path",
            "required": true,
            "schema": {"$ref": "#/components/schemas/Identifier"},
            "example": "shop",
            "description": "The app's ID."
          },
          "User": {
            "name": "user",
            "in": "path",
            "required": true,
            "schema": {"$ref": "#/components/schemas/Identifier"},
            "example": "usr_0c9JkYH2dTq4m8wXzR1aBg",
            "description": "The user's ID."
          },
          "Authenticator": {
            "name": "authenticator",
            "in": "path",
            "required": true,
            "schema": {"$ref": "#/components/schemas/Identifier"},
            "example": "aut_7sPq2LxN0vGe3mYbT5kRzw",
            "description": "The authenticator's ID."
          },
          "Journey": {
            "name": "journey",
            "in": "path",
            "required": true,
            "schema": {"$ref": "#/components/schemas/Identifier"},
            "example": "password-login",
            "description": "The journey's ID."
          },
          "Version": {"name": "version", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1, "maximum": 1000000}, "example": 1},
          "Key": {
            "name": "key",
            "in": "path",
            "required": true,
            "schema": {"type": "string", "pattern": "^[-\\w]{8,64}$"},
            "example": "key-4fd1c2a9",
            "description": "The key's ID, as chosen by the device."
          },
          "Passkey": {
            "name": "passkey",
            "in": "path",
            "required": true,
            "description": "A passkey's ID, from `GET /v1/me/passkeys`.",
            "schema": {"$ref": "#/components/schemas/Identifier"}
          },
          "Token": {
            "name": "token",
            "in": "path",
            "required": true,
            "description": "An OTP token's ID, from the list.",
            "schema": {"$ref": "#/components/schemas/Identifier"}
          },
          "ProductKey": {
            "name": "productkey",
            "in": "path",
            "required": true,
            "description": "A product key's ID, from the list.",
            "schema": {"$ref": "#/components/schemas/Identifier"}
          }
        },
        "headers": {
          "RequestID": {"description": "The request's ID, as in the log.", "required": true, "schema": {"type": "string"}},
          "RetryAfter": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}},
          "WWWAuthenticate": {"description": "How to authenticate.", "required": true, "schema": {"const": "Bearer"}},
          "Allow": {
            "description": "The methods that this path supports.",
            "required": true,
            "schema": {"type": "string"},
            "example": "DELETE, GET, HEAD, PUT"
          }
        },
        "responses": {
          "InvalidRequest": {
            "description": "The request is invalid; `errors` names the fields.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"status": {"const": 400}, "code": {"enum": ["invalid_request"]}}}]
                },
                "example": {
                  "type": "https://mien.dev/problems/invalid_request",
                  "title": "The request is invalid",
                  "status": 400,
                  "detail": "The request is invalid",
                  "code": "invalid_request",
                  "errors": [{"field": "name", "message": "is missing"}]
                }
              }
            }
          },
          "NotAnAnswer": {
            "description": "The request is invalid, or the step does not accept this answer. The journey is unchanged, and its state token is still valid.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 400}, "code": {"enum": ["invalid_request", "client_response_not_valid"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/invalid_request",
                  "title": "The request is invalid",
                  "status": 400,
                  "detail": "The step does not accept this response",
                  "code": "invalid_request",
                  "errors": [{"field": "passcode", "message": "required but missing"}]
                }
              }
            }
          },
          "ImageNotAccepted": {
            "description": "The picture is not a JPEG, PNG, or GIF, is damaged, or has an unsupported size.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 400}, "code": {"enum": ["image_not_accepted", "invalid_request"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/image_not_accepted",
                  "title": "The image cannot be used",
                  "status": 400,
                  "detail": "the image ends in the middle of its data",
                  "code": "image_not_accepted"
                }
              }
            }
          },
          "InvalidCredentials": {
            "description": "Credentials are missing, unknown, or wrong; the response is the same for all.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}, "www-authenticate": {"$ref": "#/components/headers/WWWAuthenticate"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 401}, "code": {"enum": ["invalid_credentials"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/invalid_credentials",
                  "title": "The credentials are missing or invalid",
                  "status": 401,
                  "detail": "Send authorization: Bearer with the admin credential that the first start printed.",
                  "code": "invalid_credentials"
                }
              }
            }
          },
          "SignInTooWeak": {
            "description": "The access token is missing or invalid, or the sign-in is too old or too weak for this change. In the second case, `max_age` and `acr_values` contain the requirements for a new sign-in (RFC 9470).",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}, "www-authenticate": {"$ref": "#/components/headers/WWWAuthenticate"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 401}, "code": {"enum": ["invalid_credentials", "insufficient_user_authentication"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/insufficient_user_authentication",
                  "title": "The sign-in is too old or too weak for this change",
                  "status": 401,
                  "detail": "The sign-in is too weak for this change. Sign in again with two factors, or with a passkey.",
                  "code": "insufficient_user_authentication",
                  "max_age": 300,
                  "acr_values": "2"
                }
              }
            }
          },
          "NotFound": {
            "description": "The path or the object does not exist.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"status": {"const": 404}, "code": {"enum": ["not_found"]}}}]
                },
                "example": {
                  "type": "https://mien.dev/problems/not_found",
                  "title": "The resource was not found",
                  "status": 404,
                  "detail": "There is no such user.",
                  "code": "not_found"
                }
              }
            }
          },
          "MethodNotAllowed": {
            "description": "The path does not support this method. Every path returns this for unsupported methods.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}, "allow": {"$ref": "#/components/headers/Allow"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 405}, "code": {"enum": ["method_not_allowed"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/method_not_allowed",
                  "title": "The method is not allowed for this URL",
                  "status": 405,
                  "detail": "The method is not allowed for this URL",
                  "code": "method_not_allowed"
                }
              }
            }
          },
          "Conflict": {
            "description": "The name is taken, the object has changed in the meantime, or it is in the wrong state.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"status": {"const": 409}, "code": {"enum": ["conflict"]}}}]
                },
                "example": {
                  "type": "https://mien.dev/problems/conflict",
                  "title": "The name is already in use, or the resource has changed",
                  "status": 409,
                  "detail": "An app with this ID already exists.",
                  "code": "conflict"
                }
              }
            }
          },
          "InvalidState": {
            "description": "The state token is unknown, or was used with another answer. Repeating the same answer returns the previous response instead.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"status": {"const": 409}, "code": {"enum": ["invalid_state"]}}}]
                },
                "example": {
                  "type": "https://mien.dev/problems/invalid_state",
                  "title": "The state token is unknown or was already used",
                  "status": 409,
                  "detail": "The state token is unknown or was already used",
                  "code": "invalid_state"
                }
              }
            }
          },
          "CaptureClosed": {
            "description": "The capture session has ended: passed, failed, canceled, or expired.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 409}, "code": {"enum": ["capture_closed", "conflict"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/capture_closed",
                  "title": "The capture session has ended",
                  "status": 409,
                  "detail": "The capture session has ended",
                  "code": "capture_closed"
                }
              }
            }
          },
          "CaptureRefused": {
            "description": "The session has ended, requires a live person but received a picture, or expects a different frame.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {
                      "properties": {
                        "status": {"const": 409},
                        "code": {"enum": ["capture_closed", "live_capture_required", "frame_out_of_order", "conflict"]}
                      }
                    }
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/frame_out_of_order",
                  "title": "The frame is out of order",
                  "status": 409,
                  "detail": "The next frame is 12, not 14.",
                  "code": "frame_out_of_order"
                }
              }
            }
          },
          "NoActiveJourney": {
            "description": "The journey has ended or expired; start it again.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 410}, "code": {"enum": ["no_active_journey"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/no_active_journey",
                  "title": "The journey has ended or expired; start it again",
                  "status": 410,
                  "detail": "The journey has ended or expired; start it again",
                  "code": "no_active_journey"
                }
              }
            }
          },
          "PayloadTooLarge": {
            "description": "The body exceeds the configured limit: by default 262,144 bytes of JSON, 5,242,880 bytes for a frame.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 413}, "code": {"enum": ["payload_too_large"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/payload_too_large",
                  "title": "The body is too large",
                  "status": 413,
                  "detail": "The body may have at most 262144 bytes.",
                  "code": "payload_too_large"
                }
              }
            }
          },
          "UnsupportedMediaType": {
            "description": "The body has an unsupported type.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 415}, "code": {"enum": ["unsupported_media_type"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/unsupported_media_type",
                  "title": "The content type is not supported",
                  "status": 415,
                  "detail": "Send content-type: application/json.",
                  "code": "unsupported_media_type"
                }
              }
            }
          },
          "TooManyRequests": {
            "description": "Too many requests or wrong credentials from this address, or too many answers to one journey at once.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}, "retry-after": {"$ref": "#/components/headers/RetryAfter"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"properties": {"status": {"const": 429}, "code": {"enum": ["too_many_requests"]}}}
                  ]
                },
                "example": {
                  "type": "https://mien.dev/problems/too_many_requests",
                  "title": "Too many requests; wait and try again",
                  "status": 429,
                  "detail": "Too many requests; wait and try again",
                  "code": "too_many_requests"
                }
              }
            }
          },
          "ServerError": {
            "description": "An internal error; the log has details under the request's ID.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"status": {"const": 500}, "code": {"enum": ["server_error"]}}}]
                },
                "example": {
                  "type": "https://mien.dev/problems/server_error",
                  "title": "The server failed to process the request",
                  "status": 500,
                  "detail": "The server failed to process the request",
                  "code": "server_error"
                }
              }
            }
          },
          "Unavailable": {
            "description": "The server is busy or not ready; try again after `retry-after` seconds, if present.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}, "retry-after": {"$ref": "#/components/headers/RetryAfter"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"status": {"const": 503}, "code": {"enum": ["unavailable"]}}}]
                },
                "example": {
                  "type": "https://mien.dev/problems/unavailable",
                  "title": "The server is busy or not ready; try again",
                  "status": 503,
                  "detail": "Too many requests are waiting. Try again in a moment.",
                  "code": "unavailable"
                }
              }
            }
          },
          "TokenRefused": {
            "description": "RFC 6749 §5.2.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/TokenError"},
                "example": {"error": "invalid_grant", "error_description": "The token is invalid or has expired. Sign in again."}
              }
            }
          },
          "ClientRefused": {
            "description": "The app or the access token is invalid.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}, "www-authenticate": {"$ref": "#/components/headers/WWWAuthenticate"}},
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/TokenError"},
                "example": {"error": "invalid_client", "error_description": "The client_id is unknown, or the client_secret is wrong."}
              }
            }
          },
          "TokenRequestRefused": {
            "description": "The body is too large or has an unsupported type.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/TokenError"},
                "example": {"error": "invalid_request", "error_description": "Send content-type: application/x-www-form-urlencoded."}
              }
            }
          },
          "TokenServiceFailed": {
            "description": "An internal error, or the server is busy.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/TokenError"},
                "example": {"error": "temporarily_unavailable", "error_description": "Too many requests are waiting. Try again in a moment."}
              }
            }
          },
          "ScopeMissing": {
            "description": "The access token lacks a scope.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}, "www-authenticate": {"$ref": "#/components/headers/WWWAuthenticate"}},
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/TokenError"},
                "example": {"error": "insufficient_scope", "error_description": "the access token lacks the scope openid"}
              }
            }
          },
          "NotPermitted": {
            "description": "The caller is not permitted to do this.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestID"}},
            "content": {
              "application/problem+json": {
                "schema": {
                  "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"status": {"const": 403}, "code": {"enum": ["not_permitted"]}}}]
                },
                "example": {
                  "type": "https://mien.dev/problems/not_permitted",
                  "title": "The caller lacks permission for this request",
                  "status": 403,
                  "detail": "This server does not list device keys. The setting identity.biometric.list_enabled enables the list.",
                  "code": "not_permitted"
                }
              }
            }
          }
        },
        "schemas": {
          "Identifier": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64,
            "pattern": "^[A-Za-z0-9_.-]+$",
            "description": "An ID. The server's own have a prefix for the kind (`usr_`, `app_`, `aut_`) and 128 random bits; IDs of apps and journeys can be chosen."
          },
          "Problem": {
            "type": "object",
            "description": "An error (RFC 9457). Clients branch on `code`.",
            "required": ["type", "title", "status", "detail", "code"],
            "properties": {
              "type": {
                "type": "string",
                "format": "uri",
                "pattern": "^https://mien\\.dev/problems/[a-z_]+$",
                "description": "`https://mien.dev/problems/` followed by the code."
              },
              "title": {"type": "string", "description": "A title for the code."},
              "status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "The HTTP status."},
              "detail": {"type": "string", "description": "What is wrong with this request, and how to fix it. The text may change."},
              "code": {"$ref": "#/components/schemas/ProblemCode"},
              "errors": {"type": "array", "items": {"$ref": "#/components/schemas/FieldError"}, "description": "One entry for each invalid field."},
              "max_age": {
                "type": "integer",
                "minimum": 0,
                "description": "With `insufficient_user_authentication`: the maximum age of the sign-in, in seconds."
              },
              "acr_values": {
                "type": "string",
                "description": "With `insufficient_user_authentication`: the `acr` that a new sign-in must have. Absent if any will do."
              }
            },
            "examples": [
              {
                "type": "https://mien.dev/problems/invalid_request",
                "title": "The request is invalid",
                "status": 400,
                "detail": "The request is invalid",
                "code": "invalid_request",
                "errors": [{"field": "name", "message": "is one line of 1 to 100 characters"}]
              },
              {
                "type": "https://mien.dev/problems/insufficient_user_authentication",
                "title": "The sign-in is too old or too weak for this change",
                "status": 401,
                "detail": "The sign-in is too weak for this change. Sign in again with two factors, or with a passkey.",
                "code": "insufficient_user_authentication",
                "max_age": 300,
                "acr_values": "2"
              }
            ]
          },
          "ProblemCode": {
            "type": "string",
            "enum": [
              "invalid_request",
              "invalid_credentials",
              "insufficient_user_authentication",
              "not_permitted",
              "not_found",
              "method_not_allowed",
              "conflict",
              "invalid_state",
              "no_active_journey",
              "client_response_not_valid",
              "capture_closed",
              "live_capture_required",
              "frame_out_of_order",
              "payload_too_large",
              "unsupported_media_type",
              "image_not_accepted",
              "too_many_requests",
              "server_error",
              "unavailable"
            ],
            "description": "Stable words, never reused for another meaning.\n\n| code | status | meaning |\n|---|--:|---|\n| `invalid_request` | 400 | The request is invalid; `errors` names the fields |\n| `invalid_credentials` | 401 | The credentials are missing or invalid; one answer for unknown, wrong and missing ones |\n| `insufficient_user_authentication` | 401 | The sign-in is too old or too weak for this change; `max_age` and `acr_values` say what is needed (RFC 9470) |\n| `not_permitted` | 403 | The caller lacks permission for this request; for example, an access token of a third-party app |\n| `not_found` | 404 | The resource was not found; the address, or what it names |\n| `method_not_allowed` | 405 | The method is not allowed for this URL; the header `allow` lists them |\n| `conflict` | 409 | The name is already in use, or the resource has changed; `detail` says which |\n| `invalid_state` | 409 | The state token is unknown or was already used; go on from the newest answer |\n| `no_active_journey` | 410 | The journey has ended or expired; start it again |\n| `client_response_not_valid` | 400 | The step does not accept this response; nothing has changed; `errors` names the fields; the same `state` is still good |\n| `capture_closed` | 409 | The capture session has ended; passed, failed, cancelled or expired |\n| `live_capture_required` | 409 | A live capture is required, not a picture |\n| `frame_out_of_order` | 409 | The frame is out of order |\n| `payload_too_large` | 413 | The body is too large |\n| `unsupported_media_type` | 415 | The content type is not supported |\n| `image_not_accepted` | 400 | The image cannot be used; no JPEG or PNG, damaged, or of a size that is not taken |\n| `too_many_requests` | 429 | Too many requests; wait and try again; the header `retry-after` says how long, where it is known |\n| `server_error` | 500 | The server failed to process the request; the log has more, under the request's id |\n| `unavailable` | 503 | The server is busy or not ready; try again |"
          },
          "FieldError": {
            "type": "object",
            "required": ["field", "message"],
            "properties": {
              "field": {"type": "string", "description": "The field, e.g. `data.username` or `settings.redirect_uris[0]`; empty for the whole body."},
              "message": {"type": "string", "description": "The allowed values. Never the value that was sent."}
            },
            "examples": [{"field": "name", "message": "is one line of 1 to 100 characters"}]
          },
          "StartJourneyRequest": {
            "type": "object",
            "additionalProperties": false,
            "required": ["client_id"],
            "description": "A member that is `null` counts as absent.",
            "properties": {
              "client_id": {"type": "string", "description": "The app's ID."},
              "client_secret": {
                "type": ["string", "null"],
                "description": "A confidential app's secret. Public apps have none; any value they send is ignored."
              },
              "additional_params": {
                "type": ["object", "null"],
                "description": "The values of the journey's `parameters`. For a journey without parameters, at most 16 KiB, nested at most 8 levels deep."
              },
              "flow_id": {
                "type": ["string", "null"],
                "maxLength": 256,
                "description": "A value chosen by the client, at most 256 bytes of UTF-8; returned in the token as `flow_id`."
              },
              "device_token": {
                "type": ["string", "null"],
                "description": "From an earlier completion: the user has signed in on this device before. An unknown token is not an error; the device counts as unknown."
              }
            },
            "examples": [
              {
                "client_id": "shop",
                "client_secret": "shop.h8Xq2vLmT5yRk0JwBdGnFeUa9iOt1xVbNmCqEwpM4cz",
                "additional_params": {"basket": "4711"},
                "flow_id": "web-42",
                "device_token": "dev_Qm3xTz8RkW1bLn5YvCd0eA.Zr7nM2kXvQ9tLbYw4sGdJ0hPfEuRc1aToIiNqVxKmBw"
              }
            ]
          },
          "RespondRequest": {
            "type": "object",
            "additionalProperties": false,
            "required": ["state", "option"],
            "properties": {
              "state": {
                "type": "string",
                "description": "From the previous response; valid for one answer. Sending the same answer again returns the same response."
              },
              "option": {
                "type": "string",
                "description": "The ID of one of the response's options, or an alternative spelling listed in docs/spec/journeys.md."
              },
              "data": {"description": "The data that the option's `schema` describes; without a schema, absent or `{}`."}
            },
            "examples": [
              {
                "state": "run_K3v9sQ1mXc7TzLw0YfRbEg.3x0Jqv5mC1n8yKdT7eWbZ4uRaHs2LgPfOi9kVtXyQwE",
                "option": "password",
                "data": {"username": "rowan", "password": "correct horse battery"}
              }
            ]
          },
          "LoginFormData": {
            "type": "object",
            "description": "`loginForm`: one option for each branch, and `cancel`.",
            "required": ["branches"],
            "properties": {
              "title": {"type": "string", "description": "Shown above the form."},
              "branches": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/LoginFormBranch"}}
            }
          },
          "LoginFormBranch": {
            "type": "object",
            "required": ["id", "label", "kind", "schema"],
            "properties": {
              "id": {"type": "string", "description": "The option's ID."},
              "label": {"type": "string", "description": "The label of the button."},
              "kind": {"type": "string", "enum": ["password", "face", "passkey", "email_code", "native_biometrics", "otp", "custom"]},
              "schema": {"$ref": "#/components/schemas/InputSchema"}
            }
          },
          "SelfieAcquisitionData": {
            "type": "object",
            "description": "`selfieAcquisition`: send frames to `/v1/capture/frames` with this token until one passes, then respond with `client_input`.",
            "required": ["start_token"],
            "properties": {"start_token": {"$ref": "#/components/schemas/StartToken"}}
          },
          "IdentityVerificationData": {
            "type": "object",
            "description": "`identityVerification`",
            "required": ["payload"],
            "properties": {
              "payload": {
                "type": "object",
                "required": ["start_token", "base_endpoint", "endpoint", "session", "state"],
                "properties": {
                  "start_token": {"$ref": "#/components/schemas/StartToken"},
                  "base_endpoint": {"type": "string", "description": "The server's address."},
                  "endpoint": {"type": "string", "description": "The URL for frames."},
                  "session": {"type": "string", "description": "The session's ID."},
                  "state": {"type": "string", "description": "May be returned as `payload.state`."}
                }
              }
            }
          },
          "DeviceKeyData": {
            "type": "object",
            "description": "`registerNativeBiometrics`, `nativeBiometricsAuthentication`, `nativeBiometricsTransactionSigning`, `deleteMobileBiometrics`",
            "properties": {
              "user_identifier": {"type": "string", "description": "The owner of the key."},
              "challenge": {"type": "string", "description": "The value to sign."},
              "transaction_challenge": {"type": "string", "description": "The value to sign."},
              "approval_data": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "maxProperties": 10,
                "description": "The data that the user approves."
              }
            }
          },
          "InformationData": {
            "type": "object",
            "description": "`information`",
            "required": ["text", "button_text"],
            "properties": {
              "title": {"type": "string", "description": "Shown above the text."},
              "text": {"type": "string", "description": "The text to show."},
              "button_text": {"type": "string", "description": "The label of the button that continues."}
            }
          },
          "WaitForTimeData": {
            "type": "object",
            "description": "`waitForTime`: answer with `client_input` when the time has come.",
            "required": ["wait_until", "milliseconds_left"],
            "properties": {
              "wait_until": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."},
              "milliseconds_left": {"type": "integer", "format": "int64", "minimum": 1, "description": "How long to wait from now."},
              "error": {
                "type": "object",
                "description": "Present after an early answer.",
                "required": ["code"],
                "properties": {"code": {"type": "string", "enum": ["not_yet"]}}
              }
            }
          },
          "EmailOTPData": {
            "type": "object",
            "description": "`emailOTPAuthentication`: the same whether or not the user exists.",
            "required": ["code_length", "attempts_left", "resends_left"],
            "properties": {
              "code_length": {"type": "integer", "minimum": 4, "maximum": 10, "description": "Number of digits of the code."},
              "attempts_left": {"type": "integer", "minimum": 0, "maximum": 10, "description": "Wrong codes left until the step fails."},
              "resends_left": {"type": "integer", "minimum": 0, "maximum": 10, "description": "How often `resend` is still available."},
              "error": {
                "type": "object",
                "description": "Present after a rejected code.",
                "required": ["code"],
                "properties": {"code": {"type": "string", "enum": ["wrong_code", "expired"]}}
              }
            }
          },
          "RecordConsentData": {
            "type": "object",
            "description": "`recordConsent`: `client_input` consents, `cancel` does not.",
            "required": ["text", "text_version", "button_text"],
            "properties": {
              "title": {"type": "string", "description": "Shown above the text."},
              "text": {"type": "string", "description": "The text that the person consents to."},
              "text_version": {"type": "string", "description": "Identifies the text; recorded with the consent."},
              "button_text": {"type": "string", "description": "The label of the button that consents."}
            }
          },
          "RejectionData": {
            "type": "object",
            "description": "Why a journey was rejected.",
            "required": ["cause", "reason"],
            "properties": {
              "cause": {"type": "string", "enum": ["rejected", "failed", "cancelled", "expired", "not_signed_in", "too_many_steps", "journey_error"]},
              "reason": {
                "type": "string",
                "description": "The `reject_access` step's reason, or the code of the step that failed. For unknown users, every failed sign-in is `invalid_credentials`."
              }
            },
            "examples": [{"cause": "rejected", "reason": "access_denied"}]
          },
          "StartToken": {
            "type": "string",
            "description": "Starts one capture session; returned only once. Send it as `authorization: Bearer`.",
            "examples": ["cap_u1YtRmX5Wq0nZb7KdLe3sA.pM4c8vQzXn2LsT6yRk0JwBdGhFeUa9iOt1xVbNmCqEw"]
          },
          "InputSchema": {
            "type": "object",
            "description": "The data that an option accepts: a small subset of JSON Schema.",
            "required": ["type", "properties", "required", "additionalProperties"],
            "properties": {
              "type": {"const": "object"},
              "properties": {"type": "object", "maxProperties": 50, "additionalProperties": {"$ref": "#/components/schemas/InputField"}},
              "required": {"type": "array", "items": {"type": "string"}, "maxItems": 50, "description": "Show these first, in this order."},
              "additionalProperties": {"const": false}
            }
          },
          "InputField": {
            "type": "object",
            "required": ["type"],
            "properties": {
              "type": {"type": "string", "enum": ["string", "number", "boolean"]},
              "title": {"type": "string", "description": "The field's label.", "maxLength": 200},
              "format": {"type": "string", "enum": ["email", "password", "username", "phone", "date", "code"]},
              "minLength": {"type": "integer", "minimum": 0, "maximum": 16384, "description": "In code points."},
              "maxLength": {"type": "integer", "minimum": 1, "maximum": 16384, "description": "In code points."},
              "writeOnly": {"const": true, "description": "Sensitive: the server never returns it."}
            }
          },
          "ClientOption": {
            "type": "object",
            "description": "One way to answer.",
            "required": ["type", "label"],
            "properties": {
              "type": {
                "type": "string",
                "enum": ["client_input", "cancel", "fail", "resend", "custom"],
                "description": "`client_input` is the ordinary answer; `custom` is one of the journey's own branches."
              },
              "label": {"type": "string", "description": "The label of the button."},
              "schema": {"$ref": "#/components/schemas/InputSchema", "description": "The schema of `data`; if absent, omit `data`."}
            },
            "examples": [
              {
                "type": "custom",
                "label": "Password",
                "schema": {
                  "type": "object",
                  "properties": {
                    "username": {"type": "string", "title": "User name", "format": "username", "minLength": 1, "maxLength": 1000},
                    "password": {"type": "string", "title": "Password", "format": "password", "minLength": 1, "maxLength": 1000, "writeOnly": true}
                  },
                  "required": ["username", "password"],
                  "additionalProperties": false
                }
              }
            ]
          },
          "JourneyAnswer": {
            "type": "object",
            "description": "The next step, or how the journey ended. The steps and their options are in docs/spec/journeys.md, “What clients see”.",
            "required": ["journey_step_id", "client_response_options", "expires_at"],
            "properties": {
              "state": {"type": "string", "description": "For the next answer; absent at the end."},
              "journey_step_id": {
                "type": "string",
                "enum": [
                  "loginForm",
                  "selfieAcquisition",
                  "identityVerification",
                  "registerNativeBiometrics",
                  "nativeBiometricsAuthentication",
                  "nativeBiometricsTransactionSigning",
                  "deleteMobileBiometrics",
                  "information",
                  "emailOTPAuthentication",
                  "otpRegistration",
                  "otpAuthentication",
                  "otpTransactionSigning",
                  "recordConsent",
                  "waitForTime",
                  "success",
                  "rejection"
                ],
                "description": "The step that the client must show; `success` and `rejection` end the journey."
              },
              "data": {"type": "object", "description": "The step's data; absent at the end."},
              "error_data": {"$ref": "#/components/schemas/RejectionData"},
              "client_response_options": {
                "type": "object",
                "additionalProperties": {"$ref": "#/components/schemas/ClientOption"},
                "description": "The possible answers, by ID."
              },
              "token": {
                "type": "string",
                "description": "With `success`: a JWT, ES256, with `iss`, `aud` (the app), `sub` (the user, if one signed in), `iat`, `exp`, `jti`, `journey`, `amr`, `acr` and the journey's own claims. Keys: `/.well-known/jwks.json`.",
                "pattern": "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$"
              },
              "device_token": {
                "type": "string",
                "description": "With `success`, if a user signed in on a new device: store it, and send it with later starts."
              },
              "expires_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "When the journey expires. Milliseconds since 1970."}
            },
            "allOf": [
              {
                "if": {"properties": {"journey_step_id": {"enum": ["loginForm"]}}},
                "then": {"properties": {"data": {"$ref": "#/components/schemas/LoginFormData"}}, "required": ["state", "data"]}
              },
              {
                "if": {"properties": {"journey_step_id": {"enum": ["selfieAcquisition"]}}},
                "then": {"properties": {"data": {"$ref": "#/components/schemas/SelfieAcquisitionData"}}, "required": ["state", "data"]}
              },
              {
                "if": {"properties": {"journey_step_id": {"enum": ["identityVerification"]}}},
                "then": {"properties": {"data": {"$ref": "#/components/schemas/IdentityVerificationData"}}, "required": ["state", "data"]}
              },
              {
                "if": {
                  "properties": {
                    "journey_step_id": {
                      "enum": [
                        "registerNativeBiometrics",
                        "nativeBiometricsAuthentication",
                        "nativeBiometricsTransactionSigning",
                        "deleteMobileBiometrics"
                      ]
                    }
                  }
                },
                "then": {"properties": {"data": {"$ref": "#/components/schemas/DeviceKeyData"}}, "required": ["state", "data"]}
              },
              {
                "if": {"properties": {"journey_step_id": {"enum": ["information"]}}},
                "then": {"properties": {"data": {"$ref": "#/components/schemas/InformationData"}}, "required": ["state", "data"]}
              },
              {
                "if": {"properties": {"journey_step_id": {"enum": ["waitForTime"]}}},
                "then": {"properties": {"data": {"$ref": "#/components/schemas/WaitForTimeData"}}, "required": ["state", "data"]}
              },
              {
                "if": {"properties": {"journey_step_id": {"enum": ["emailOTPAuthentication"]}}},
                "then": {"properties": {"data": {"$ref": "#/components/schemas/EmailOTPData"}}, "required": ["state", "data"]}
              },
              {
                "if": {"properties": {"journey_step_id": {"enum": ["otpRegistration", "otpAuthentication"]}}},
                "then": {"properties": {"data": {"$ref": "#/components/schemas/OTPData"}}, "required": ["state", "data"]}
              },
              {
                "if": {"properties": {"journey_step_id": {"enum": ["otpTransactionSigning"]}}},
                "then": {"properties": {"data": {"$ref": "#/components/schemas/OTPSigningData"}}, "required": ["state", "data"]}
              },
              {
                "if": {"properties": {"journey_step_id": {"enum": ["recordConsent"]}}},
                "then": {"properties": {"data": {"$ref": "#/components/schemas/RecordConsentData"}}, "required": ["state", "data"]}
              },
              {"if": {"properties": {"journey_step_id": {"const": "success"}}}, "then": {"required": ["token"]}},
              {"if": {"properties": {"journey_step_id": {"const": "rejection"}}}, "then": {"required": ["error_data"]}}
            ],
            "examples": [
              {
                "state": "run_K3v9sQ1mXc7TzLw0YfRbEg.3x0Jqv5mC1n8yKdT7eWbZ4uRaHs2LgPfOi9kVtXyQwE",
                "journey_step_id": "loginForm",
                "data": {
                  "branches": [
                    {
                      "id": "password",
                      "label": "Password",
                      "kind": "password",
                      "schema": {
                        "type": "object",
                        "properties": {
                          "username": {"type": "string", "title": "User name", "format": "username", "minLength": 1, "maxLength": 1000},
                          "password": {"type": "string", "title": "Password", "format": "password", "minLength": 1, "maxLength": 1000, "writeOnly": true}
                        },
                        "required": ["username", "password"],
                        "additionalProperties": false
                      }
                    }
                  ]
                },
                "client_response_options": {
                  "password": {
                    "type": "custom",
                    "label": "Password",
                    "schema": {
                      "type": "object",
                      "properties": {
                        "username": {"type": "string", "title": "User name", "format": "username", "minLength": 1, "maxLength": 1000},
                        "password": {"type": "string", "title": "Password", "format": "password", "minLength": 1, "maxLength": 1000, "writeOnly": true}
                      },
                      "required": ["username", "password"],
                      "additionalProperties": false
                    }
                  },
                  "cancel": {"type": "cancel", "label": "Cancel"}
                },
                "expires_at": 1793003600000
              },
              {
                "journey_step_id": "success",
                "client_response_options": {},
                "token": "eyJhbGciOiJFUzI1NiIsImtpZCI6Ii4uLiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1c3JfLi4uIn0.c2lnbmF0dXJl",
                "device_token": "dev_Qm3xTz8RkW1bLn5YvCd0eA.Zr7nM2kXvQ9tLbYw4sGdJ0hPfEuRc1aToIiNqVxKmBw",
                "expires_at": 1793003600000
              },
              {
                "journey_step_id": "rejection",
                "error_data": {"cause": "rejected", "reason": "access_denied"},
                "client_response_options": {},
                "expires_at": 1793003600000
              }
            ]
          },
          "CaptureAnswer": {
            "type": "object",
            "description": "The state of a capture session: after its start, after frames, and on request.",
            "required": ["status", "guidance", "frames_left", "expires_at"],
            "properties": {
              "status": {
                "type": "string",
                "enum": ["open", "passed", "failed", "cancelled"],
                "description": "`open`: send frames. `passed` or `failed`: respond to the journey's step; after `failed`, its branch for failures follows."
              },
              "guidance": {
                "type": "array",
                "items": {
                  "type": "string",
                  "enum": [
                    "face_not_found",
                    "multiple_faces",
                    "face_too_far",
                    "face_too_close",
                    "misaligned_face",
                    "too_dark",
                    "too_bright",
                    "low_contrast",
                    "too_much_movement",
                    "eyes_closed",
                    "obscured_face",
                    "wait",
                    "look_straight",
                    "keep_still",
                    "blink",
                    "turn_left",
                    "turn_right",
                    "look_up",
                    "look_down",
                    "open_mouth",
                    "come_closer",
                    "done",
                    "different_face"
                  ]
                },
                "description": "Instructions for the person."
              },
              "quality": {"type": "integer", "minimum": 0, "maximum": 100, "description": "The quality of the frame just sent."},
              "face": {
                "type": "array",
                "items": {"type": "number"},
                "minItems": 4,
                "maxItems": 4,
                "description": "Position of the face, in pixels of the frame just sent: x, y, width, height."
              },
              "frames_left": {"type": "integer", "minimum": 0, "maximum": 10000, "description": "Number of frames that the session still accepts."},
              "expires_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "When the session expires. Milliseconds since 1970."},
              "mode": {
                "type": "string",
                "enum": ["image", "liveness_passive", "liveness_active"],
                "description": "What the session requires: a good picture; keeping still and blinking; keeping still and performing random actions."
              },
              "action": {
                "type": "string",
                "enum": ["keep_still", "blink", "turn_left", "turn_right", "look_up", "look_down", "open_mouth", "come_closer"],
                "description": "The action that the person must perform now; revealed only when it is due. Left and right are the person's own."
              },
              "progress": {
                "type": "integer",
                "minimum": 0,
                "maximum": 100,
                "description": "The progress of a live session. The verdict does not depend on it."
              },
              "countdown": {"type": "integer", "minimum": 0, "maximum": 600000, "description": "Milliseconds until a live session times out."},
              "elapsed": {"type": "integer", "minimum": 0, "description": "Milliseconds since a live session started."},
              "next_frame": {"type": "integer", "minimum": 1, "description": "Number of the next frame of a live session."},
              "nonce": {
                "type": "string",
                "minLength": 43,
                "maxLength": 43,
                "pattern": "^[A-Za-z0-9_-]{43}$",
                "description": "The start of a live session's frame chain; 32 bytes, base64url."
              },
              "reasons": {
                "type": "array",
                "items": {
                  "type": "string",
                  "enum": [
                    "timed_out",
                    "cancelled",
                    "source_ended",
                    "bad_quality",
                    "no_match",
                    "clock_went_back",
                    "action_missed",
                    "action_out_of_order",
                    "blink_missed",
                    "face_lost",
                    "face_jumped",
                    "face_changed",
                    "flat",
                    "repeated_frames",
                    "still_picture",
                    "replayed",
                    "print_or_screen",
                    "presentation_attack",
                    "frame_altered",
                    "frame_early",
                    "frame_late",
                    "too_many_frames",
                    "interrupted",
                    "different_face"
                  ]
                },
                "minItems": 1,
                "description": "Why the session failed; show the first reason to the person."
              }
            },
            "examples": [
              {
                "status": "open",
                "guidance": ["face_too_far"],
                "quality": 31,
                "face": [412, 218, 96, 104],
                "frames_left": 57,
                "expires_at": 1793000120000
              },
              {
                "status": "open",
                "guidance": ["turn_left"],
                "quality": 81,
                "face": [212, 118, 196, 204],
                "frames_left": 874,
                "expires_at": 1793000120000,
                "mode": "liveness_active",
                "action": "turn_left",
                "progress": 50,
                "countdown": 57400,
                "elapsed": 2600,
                "next_frame": 27,
                "nonce": "ZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmY"
              },
              {"status": "failed", "guidance": [], "frames_left": 0, "expires_at": 1793000120000, "mode": "liveness_active", "reasons": ["frame_late"]}
            ]
          },
          "LockPolicy": {
            "type": "object",
            "description": "When an authenticator stops accepting attempts. Defaults: face 5, 30 s, 50; everything else 5, 60 s, 100.",
            "required": ["failed_attempts", "lockout_seconds"],
            "properties": {
              "failed_attempts": {
                "type": "integer",
                "minimum": 1,
                "maximum": 100,
                "description": "Failures in a row before it locks; every further failure locks it again."
              },
              "lockout_seconds": {"type": "integer", "minimum": 1, "maximum": 86400, "description": "Duration of the lock."},
              "disable_after": {
                "type": ["integer", "null"],
                "minimum": 1,
                "maximum": 100,
                "description": "Failures without a success after which it is disabled until an administrator unlocks it; not less than `failed_attempts`. Default: 50, or `failed_attempts` if that is more."
              }
            },
            "additionalProperties": false
          },
          "AppSettings": {
            "type": "object",
            "description": "How an app's users sign in. Absent members have their defaults; settings are replaced as a whole.",
            "properties": {
              "redirect_uris": {
                "type": ["array", "null"],
                "maxItems": 100,
                "description": "Allowed redirect URIs; compared character by character. `https`; `http` for `localhost`, `127.0.0.1`, and `[::1]` only; or an app's own scheme, a reversed domain name; no fragment.",
                "items": {
                  "type": "string",
                  "maxLength": 2048,
                  "pattern": "^(https://[!\"$-~]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])([:/][!\"$-~]*)?|[A-Za-z][A-Za-z0-9+-]*\\.[A-Za-z0-9.+-]*:[!\"$-~]*)$"
                }
              },
              "journeys": {
                "type": ["array", "null"],
                "items": {"$ref": "#/components/schemas/Identifier"},
                "description": "The journeys that the app may start; if absent, every published one."
              },
              "locks": {
                "type": ["object", "null"],
                "description": "Lock policies that differ from the defaults, by authenticator.",
                "additionalProperties": false,
                "properties": {
                  "password": {"$ref": "#/components/schemas/LockPolicy"},
                  "face": {"$ref": "#/components/schemas/LockPolicy"},
                  "native_biometrics": {"$ref": "#/components/schemas/LockPolicy"},
                  "email_code": {"$ref": "#/components/schemas/LockPolicy"},
                  "passkey": {"$ref": "#/components/schemas/LockPolicy"},
                  "otp": {"$ref": "#/components/schemas/LockPolicy"},
                  "recovery_code": {"$ref": "#/components/schemas/LockPolicy"}
                }
              },
              "face_threshold": {
                "type": ["number", "null"],
                "minimum": 24,
                "maximum": 72,
                "description": "The minimum match score; if absent, the server's, 48: a false-match rate of 1 in 10,000."
              },
              "liveness": {
                "type": ["object", "null"],
                "additionalProperties": false,
                "description": "The requirements for captures; absent members default to the server's configuration. A journey's step can make them stricter, never less strict.",
                "properties": {
                  "mode": {
                    "type": ["string", "null"],
                    "enum": ["image", "liveness_passive", "liveness_active", null],
                    "description": "`image`: one good picture, so a photo passes as the person. `liveness_passive`: keep still, then blink; a recording passes. `liveness_active`: keep still, then perform random actions; the server's default."
                  },
                  "threshold": {
                    "type": ["integer", "null"],
                    "minimum": 0,
                    "maximum": 100,
                    "description": "Larger values mean a longer still phase and stricter checks."
                  },
                  "quality": {
                    "type": ["integer", "null"],
                    "minimum": 0,
                    "maximum": 100,
                    "description": "The minimum quality of an accepted frame; never below the server's."
                  },
                  "timeout_seconds": {"type": ["integer", "null"], "minimum": 5, "maximum": 600, "description": "The time limit of a live session."},
                  "actions": {
                    "type": ["array", "null"],
                    "minItems": 2,
                    "uniqueItems": true,
                    "items": {"type": "string", "enum": ["blink", "turn_left", "turn_right", "look_up", "look_down", "open_mouth", "come_closer"]},
                    "anyOf": [{"type": "null"}, {"contains": {"enum": ["turn_left", "turn_right"]}}],
                    "description": "The possible actions, including a turn to the left or right; if absent, all."
                  },
                  "action_count": {
                    "type": ["integer", "null"],
                    "minimum": 2,
                    "maximum": 4,
                    "description": "The number of actions, at most as many as `actions` contains; if absent, two or three, at random."
                  }
                }
              },
              "token_seconds": {
                "type": ["integer", "null"],
                "minimum": 30,
                "maximum": 3600,
                "default": 300,
                "description": "How long the token of a completed journey is valid."
              },
              "tokens": {
                "type": ["object", "null"],
                "additionalProperties": false,
                "description": "How long users stay signed in.",
                "properties": {
                  "access_token_seconds": {
                    "type": ["integer", "null"],
                    "minimum": 300,
                    "maximum": 86400,
                    "default": 1800,
                    "description": "Lifetime of an access token."
                  },
                  "refresh_token_seconds": {
                    "type": ["integer", "null"],
                    "minimum": 300,
                    "maximum": 63072000,
                    "default": 31449600,
                    "description": "Maximum time since the sign-in, regardless of activity."
                  },
                  "expire_after_idling": {"type": ["boolean", "null"], "default": true},
                  "idle_seconds": {
                    "type": ["integer", "null"],
                    "minimum": 60,
                    "maximum": 63072000,
                    "default": 2592000,
                    "description": "Maximum time since the last refresh."
                  }
                }
              },
              "biometric": {
                "type": ["object", "null"],
                "additionalProperties": false,
                "description": "Login with a key of the user's device.",
                "properties": {
                  "enabled": {"type": ["boolean", "null"], "default": true},
                  "mode": {
                    "enum": ["strict", "compatible", null],
                    "default": "strict",
                    "description": "`compatible` accepts requests without `aud` and `client_id`."
                  },
                  "max_keys": {
                    "type": ["integer", "null"],
                    "minimum": 1,
                    "maximum": 30,
                    "default": 10,
                    "description": "Maximum number of active keys per user."
                  },
                  "attestation": {
                    "enum": ["none", "if_given", "required", null],
                    "default": "none",
                    "description": "Whether new keys need an attestation: see docs/biometric-login.md. `none` ignores attestations, `if_given` rejects an invalid one. All values except `none` require `apple_apps` or `android_apps`."
                  },
                  "apple_apps": {
                    "type": ["array", "null"],
                    "maxItems": 16,
                    "items": {"type": "string", "pattern": "^[A-Z0-9]{10}(\\.[A-Za-z0-9-]+)+$", "maxLength": 166},
                    "description": "Team ID and bundle ID."
                  },
                  "apple_development": {
                    "type": ["boolean", "null"],
                    "default": false,
                    "description": "Whether builds signed for development are accepted."
                  },
                  "android_apps": {
                    "type": ["array", "null"],
                    "maxItems": 16,
                    "items": {
                      "type": "object",
                      "additionalProperties": false,
                      "required": ["package", "signature_digests"],
                      "properties": {
                        "package": {"type": "string", "maxLength": 255, "pattern": "^[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)+$"},
                        "signature_digests": {
                          "type": "array",
                          "minItems": 1,
                          "maxItems": 16,
                          "items": {"type": "string", "pattern": "^([0-9A-Fa-f]{64}|[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){31})$"},
                          "description": "SHA-256 of the certificates that sign the app."
                        }
                      }
                    }
                  },
                  "android_level": {
                    "enum": ["tee", "strongbox", null],
                    "default": "tee",
                    "description": "The minimum security level of the key and of the key that attests it."
                  },
                  "android_user_authentication": {
                    "enum": ["biometric", "biometric_only", "any", null],
                    "default": "biometric",
                    "description": "What each use of the key requires: a biometric or an alternative that the app allows, only a biometric, or anything (not checked)."
                  }
                }
              },
              "resources": {
                "type": ["array", "null"],
                "maxItems": 32,
                "items": {
                  "type": "string",
                  "maxLength": 2048,
                  "pattern": "^(https://[!\"$-~]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])([:/][!\"$-~]*)?)$"
                },
                "description": "Services that access tokens may be issued for: absolute URLs."
              },
              "client_scopes": {
                "type": ["array", "null"],
                "maxItems": 32,
                "uniqueItems": true,
                "items": {"type": "string", "pattern": "^[!#-\\[\\]-~]{1,64}$"},
                "description": "Scopes that a confidential app may request for itself."
              },
              "requires_dpop": {"type": ["boolean", "null"], "default": false, "description": "Whether every token must be bound to a key."},
              "sign_in_page": {
                "type": ["boolean", "null"],
                "default": false,
                "description": "Whether users can sign in with name and password on `/oauth2/authorize`, regardless of the app's journeys."
              }
            },
            "additionalProperties": false,
            "examples": [
              {
                "redirect_uris": ["https://shop.example/signed-in"],
                "journeys": ["password-login", "face-login"],
                "locks": {"face": {"failed_attempts": 3, "lockout_seconds": 60, "disable_after": 30}},
                "face_threshold": 52,
                "token_seconds": 120
              }
            ]
          },
          "AppRequest": {
            "type": "object",
            "required": ["name"],
            "properties": {
              "id": {
                "type": ["string", "null"],
                "minLength": 1,
                "maxLength": 64,
                "pattern": "^[A-Za-z0-9_.-]+$",
                "description": "For a new app: if absent, the server generates one. Later: the same ID, or absent."
              },
              "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100,
                "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028\\u2029\\u202A-\\u202E\\u2066-\\u2069]+$",
                "description": "A display name; one line."
              },
              "type": {
                "type": ["string", "null"],
                "enum": ["public", "confidential", null],
                "description": "`public` (default): on users' devices, without a secret. `confidential`: on a server, with a secret. Cannot be changed."
              },
              "first_party": {
                "type": ["boolean", "null"],
                "description": "Whether the operator runs the app. Only first-party apps get `full-access` and manage authenticators. If absent, a new app is a third-party app, and an existing app is unchanged."
              },
              "settings": {
                "anyOf": [{"$ref": "#/components/schemas/AppSettings"}, {"type": "null"}],
                "description": "If absent: the defaults for a new app, no change for an existing one."
              },
              "client": {
                "type": ["string", "null"],
                "enum": ["mien", "other", null],
                "description": "For a new app: `mien` if it uses the MienClient SDK, which binds tokens to a key; `requires_dpop` is then `true` unless `settings` has it. `other` (default): bearer tokens are accepted."
              }
            },
            "additionalProperties": false,
            "examples": [
              {
                "id": "shop",
                "name": "Shop",
                "type": "confidential",
                "first_party": true,
                "client": "mien",
                "settings": {
                  "redirect_uris": ["https://shop.example/signed-in"],
                  "journeys": ["password-login", "face-login"],
                  "locks": {"face": {"failed_attempts": 3, "lockout_seconds": 60, "disable_after": 30}},
                  "face_threshold": 52,
                  "token_seconds": 120
                }
              }
            ]
          },
          "AppAnswer": {
            "type": "object",
            "required": ["id", "name", "type", "first_party", "settings", "created_at"],
            "properties": {
              "id": {"$ref": "#/components/schemas/Identifier"},
              "name": {"type": "string", "description": "A display name."},
              "type": {"type": "string", "enum": ["public", "confidential"]},
              "first_party": {"type": "boolean", "description": "Whether the operator runs the app."},
              "settings": {"allOf": [{"$ref": "#/components/schemas/AppSettings"}, {"required": ["redirect_uris", "locks", "token_seconds"]}]},
              "client_secret": {"type": "string", "description": "Returned only once: when a confidential app is created or gets a new secret."},
              "created_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."}
            },
            "examples": [
              {
                "id": "shop",
                "name": "Shop",
                "type": "confidential",
                "first_party": true,
                "settings": {
                  "redirect_uris": ["https://shop.example/signed-in"],
                  "journeys": ["password-login", "face-login"],
                  "locks": {"face": {"failed_attempts": 3, "lockout_seconds": 60, "disable_after": 30}},
                  "face_threshold": 52,
                  "token_seconds": 120
                },
                "client_secret": "shop.h8Xq2vLmT5yRk0JwBdGnFeUa9iOt1xVbNmCqEwpM4cz",
                "created_at": 1793000000000
              }
            ]
          },
          "NewUserRequest": {
            "type": "object",
            "description": "At least one of `external_id`, `username`, `email`.",
            "properties": {
              "external_id": {
                "type": ["string", "null"],
                "minLength": 1,
                "maxLength": 254,
                "description": "The user's ID in another system; at most 254 bytes, no spaces or control characters, compared exactly."
              },
              "username": {
                "type": ["string", "null"],
                "minLength": 1,
                "maxLength": 254,
                "description": "At most 254 bytes, no spaces, control characters, or “@”; compared after Unicode NFKC and case folding."
              },
              "email": {"type": ["string", "null"], "minLength": 1, "maxLength": 254, "description": "An address; at most 254 bytes."},
              "email_verified": {
                "type": ["boolean", "null"],
                "description": "Whether you vouch for the address; true by default. An unverified address does not identify the user and receives no codes."
              },
              "password": {
                "type": ["string", "null"],
                "minLength": 8,
                "maxLength": 512,
                "writeOnly": true,
                "description": "At most 512 bytes; must not be a common password or one of the user's names. A server setting defines the minimum length."
              },
              "attributes": {"type": ["object", "null"], "description": "Additional data; at most 16 KB of JSON, nested at most 8 levels deep."}
            },
            "additionalProperties": false,
            "examples": [
              {
                "external_id": "crm-1042",
                "username": "rowan",
                "email": "rowan@example.org",
                "email_verified": true,
                "password": "correct horse battery",
                "attributes": {"language": "en"}
              }
            ],
            "anyOf": [
              {"required": ["external_id"], "properties": {"external_id": {"type": "string"}}},
              {"required": ["username"], "properties": {"username": {"type": "string"}}},
              {"required": ["email"], "properties": {"email": {"type": "string"}}}
            ]
          },
          "UserRequest": {
            "type": "object",
            "description": "Absent and `null` members stay unchanged. One of the three names must remain.",
            "properties": {
              "external_id": {
                "type": ["string", "null"],
                "minLength": 0,
                "maxLength": 254,
                "description": "The user's ID in another system; at most 254 bytes, no spaces or control characters, compared exactly. Empty: removes it."
              },
              "username": {
                "type": ["string", "null"],
                "minLength": 0,
                "maxLength": 254,
                "description": "At most 254 bytes, no spaces, control characters, or “@”; compared after Unicode NFKC and case folding. Empty: removes it."
              },
              "email": {"type": ["string", "null"], "minLength": 0, "maxLength": 254, "description": "An address; at most 254 bytes. Empty: removes it."},
              "email_verified": {
                "type": ["boolean", "null"],
                "description": "Whether you vouch for the address; true by default. An unverified address does not identify the user and receives no codes. Without `email`: applies to the user's current address."
              },
              "password": {
                "type": ["string", "null"],
                "minLength": 8,
                "maxLength": 512,
                "writeOnly": true,
                "description": "At most 512 bytes; must not be a common password or one of the user's names. A server setting defines the minimum length. Devices must sign in again."
              },
              "state": {
                "type": ["string", "null"],
                "enum": ["active", "suspended", null],
                "description": "Suspended: every sign-in is rejected until the user is active again."
              },
              "attributes": {
                "type": ["object", "null"],
                "description": "Additional data; at most 16 KB of JSON, nested at most 8 levels deep. Replaces the existing data."
              }
            },
            "additionalProperties": false,
            "examples": [
              {
                "external_id": "crm-1042",
                "username": "rowan",
                "email": "rowan@example.org",
                "email_verified": true,
                "password": "correct horse battery",
                "attributes": {"language": "en"},
                "state": "active"
              }
            ]
          },
          "UserAnswer": {
            "type": "object",
            "required": ["id", "state", "attributes", "created_at"],
            "properties": {
              "id": {"$ref": "#/components/schemas/Identifier"},
              "external_id": {"type": "string", "description": "As it was entered."},
              "username": {"type": "string", "description": "As it was entered."},
              "email": {"type": "string", "description": "As it was entered."},
              "email_verified": {
                "type": "boolean",
                "description": "Whether `email` is verified; absent without an address. Only a verified address identifies the user."
              },
              "state": {
                "type": "string",
                "enum": ["active", "suspended", "pending"],
                "description": "`pending`: a sign-up in progress. The user becomes active when its journey completes, and is deleted otherwise."
              },
              "attributes": {"type": "object"},
              "created_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."}
            },
            "examples": [
              {
                "id": "usr_0c9JkYH2dTq4m8wXzR1aBg",
                "external_id": "crm-1042",
                "username": "rowan",
                "email": "rowan@example.org",
                "email_verified": true,
                "state": "active",
                "attributes": {"language": "en"},
                "created_at": 1793000000000
              }
            ]
          },
          "AuthenticatorAnswer": {
            "type": "object",
            "required": ["id", "type", "lock", "failures", "total_failures", "devices", "info", "created_at", "updated_at"],
            "properties": {
              "id": {"$ref": "#/components/schemas/Identifier"},
              "type": {"type": "string", "enum": ["password", "face", "native_biometrics", "email_code", "passkey", "otp", "recovery_code"]},
              "app_id": {
                "$ref": "#/components/schemas/Identifier",
                "description": "The app it belongs to; absent for a password, which belongs to the account."
              },
              "lock": {
                "type": "string",
                "enum": ["open", "locked", "disabled"],
                "description": "For devices without a counter of their own. `locked` ends automatically, `disabled` with an unlock."
              },
              "locked_until": {"type": "integer", "format": "int64", "minimum": 0, "description": "With `locked`. Milliseconds since 1970."},
              "locked_by": {
                "type": "string",
                "enum": ["administrator", "journey", "failures"],
                "description": "The cause of the lock; absent if it is open. Only an administrator can remove an administrator's lock."
              },
              "failures": {"type": "integer", "minimum": 0, "description": "Failures in a row on devices without a counter of their own."},
              "total_failures": {
                "type": "integer",
                "minimum": 0,
                "description": "Failures on all devices, of all authenticators of this type, since the owner's last success. At `disable_after`, devices without a counter of their own are disabled until an unlock."
              },
              "devices": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/DeviceLockAnswer"},
                "description": "Devices on which this method has succeeded. Each has a counter of its own, so strangers cannot lock it out."
              },
              "info": {
                "type": "object",
                "description": "For a face, for example: `photos`, `pack`, `consent`. For a device key: `attestation`, the properties it proved."
              },
              "created_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."},
              "updated_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."}
            },
            "examples": [
              {
                "id": "aut_7sPq2LxN0vGe3mYbT5kRzw",
                "type": "face",
                "app_id": "shop",
                "lock": "locked",
                "locked_until": 1793000030000,
                "locked_by": "failures",
                "failures": 5,
                "total_failures": 6,
                "devices": [{"id": "dev_Qm3xTz8RkW1bLn5YvCd0eA", "lock": "open", "failures": 1}],
                "info": {"photos": 3, "pack": "mien-default-1", "consent": "face-1"},
                "created_at": 1793000000000,
                "updated_at": 1793000001000
              }
            ]
          },
          "DeviceLockAnswer": {
            "type": "object",
            "required": ["id", "lock", "failures"],
            "properties": {
              "id": {"$ref": "#/components/schemas/Identifier"},
              "lock": {"type": "string", "enum": ["open", "locked", "disabled"], "description": "The lock on this device."},
              "locked_until": {"type": "integer", "format": "int64", "minimum": 0, "description": "With `locked`. Milliseconds since 1970."},
              "failures": {"type": "integer", "minimum": 0, "description": "Failures on this device since its last success."}
            },
            "examples": [{"id": "dev_Qm3xTz8RkW1bLn5YvCd0eA", "lock": "locked", "locked_until": 1793000030000, "failures": 5}]
          },
          "ConsentAnswer": {
            "type": "object",
            "required": ["app_id", "purpose", "text_version", "given_at"],
            "properties": {
              "app_id": {"$ref": "#/components/schemas/Identifier"},
              "purpose": {"type": "string", "enum": ["face"]},
              "text_version": {"type": "string", "description": "Identifies the text that the person saw."},
              "given_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."},
              "withdrawn_at": {
                "type": "integer",
                "format": "int64",
                "minimum": 0,
                "description": "Absent while the consent is in effect. Milliseconds since 1970."
              }
            },
            "examples": [{"app_id": "shop", "purpose": "face", "text_version": "face-1", "given_at": 1793000000000, "withdrawn_at": 1793086400000}]
          },
          "JourneyVersionAnswer": {
            "type": "object",
            "required": ["id", "version", "state", "title", "updated_at"],
            "properties": {
              "id": {"$ref": "#/components/schemas/Identifier"},
              "version": {"type": "integer", "minimum": 1, "maximum": 1000000},
              "state": {
                "type": "string",
                "enum": ["draft", "published", "retired"],
                "description": "Drafts can change and cannot be started; one version of a journey is published; runs on a retired version continue."
              },
              "title": {"type": "string", "description": "A display name."},
              "updated_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."}
            },
            "examples": [{"id": "password-login", "version": 1, "state": "published", "title": "Log in with a password", "updated_at": 1793000000000}]
          },
          "JourneyDefinition": {
            "type": "object",
            "description": "A journey as described in docs/spec/journeys.md, with its full schema in docs/spec/journey.schema.json. At most 256 KiB, nested at most 20 levels deep.",
            "required": ["id", "version", "title", "start", "steps"],
            "properties": {
              "$schema": {"type": "string"},
              "id": {"$ref": "#/components/schemas/Identifier"},
              "version": {"type": "integer", "minimum": 1, "maximum": 1000000},
              "title": {"type": "string", "minLength": 1, "maxLength": 200},
              "description": {"type": "string", "minLength": 1, "maxLength": 4000},
              "start": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
              "steps": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 500,
                "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,64}$"},
                "additionalProperties": {
                  "type": "object",
                  "required": ["type"],
                  "properties": {
                    "type": {"type": "string", "description": "E.g. `login_form`."},
                    "label": {"type": "string", "description": "For diagrams."},
                    "config": {"type": "object"},
                    "on": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Maps outcomes to steps."}
                  },
                  "additionalProperties": false
                }
              },
              "limits": {
                "type": "object",
                "properties": {
                  "max_steps": {"type": "integer", "minimum": 1, "maximum": 1000},
                  "lifetime_seconds": {"type": "integer", "minimum": 60, "maximum": 86400}
                },
                "additionalProperties": false
              },
              "parameters": {"type": "object", "description": "The values accepted at the start: an input schema."},
              "requires_user": {"type": "boolean"}
            },
            "additionalProperties": false,
            "examples": [
              {
                "id": "quick-login",
                "version": 1,
                "title": "Log in with a password",
                "start": "form",
                "steps": {
                  "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
                  "check": {
                    "type": "authenticate_password",
                    "config": {"username": "form.username", "password": "form.password"},
                    "on": {"success": "done", "failure": "refused"}
                  },
                  "done": {"type": "complete_journey"},
                  "refused": {"type": "reject_access"}
                }
              }
            ]
          },
          "AuditEntryAnswer": {
            "type": "object",
            "required": ["number", "at", "event", "actor", "detail", "hash"],
            "properties": {
              "number": {"type": "integer", "minimum": 1, "description": "From 1, without gaps."},
              "at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."},
              "event": {"type": "string", "description": "A stable name, e.g. `user.created`, `password.refused`."},
              "actor": {"type": "string", "description": "An administrator's ID, `journey`, or `system`."},
              "user_id": {"$ref": "#/components/schemas/Identifier"},
              "app_id": {"$ref": "#/components/schemas/Identifier"},
              "detail": {"type": "object", "description": "Contains no names and no secrets."},
              "hash": {"$ref": "#/components/schemas/Hash", "description": "SHA-256 over the previous entry and this one."}
            },
            "examples": [
              {
                "number": 17,
                "at": 1793000000000,
                "event": "authenticator.unlocked",
                "actor": "adm_Xq2vLmT5yRk0JwBdGnFeUa",
                "user_id": "usr_0c9JkYH2dTq4m8wXzR1aBg",
                "app_id": "shop",
                "detail": {"authenticator": "aut_7sPq2LxN0vGe3mYbT5kRzw", "type": "face"},
                "hash": "9JkYH2dTq4m8wXzR1aBgT5kRzwK3v9sQ1mXc7TzLw0Y"
              }
            ]
          },
          "AuditVerdictAnswer": {
            "type": "object",
            "required": ["is_whole"],
            "properties": {
              "is_whole": {"type": "boolean", "description": "Whether every entry is unmodified."},
              "entries": {
                "type": "integer",
                "minimum": 0,
                "description": "If the log is intact: the number of the last entry, including pruned entries."
              },
              "last_hash": {
                "$ref": "#/components/schemas/Hash",
                "description": "If the log is intact: the hash of the last entry. Store it elsewhere to detect a truncated or recreated log."
              },
              "broken_at": {"type": "integer", "minimum": 1, "description": "Otherwise: the first entry that was modified, is missing, or was inserted."},
              "start": {"$ref": "#/components/schemas/AuditPlace", "description": "The last entry that was pruned, if any."}
            },
            "examples": [
              {"is_whole": true, "entries": 17, "last_hash": "9JkYH2dTq4m8wXzR1aBgT5kRzwK3v9sQ1mXc7TzLw0Y"},
              {"is_whole": false, "broken_at": 12},
              {
                "is_whole": true,
                "entries": 481520,
                "last_hash": "9JkYH2dTq4m8wXzR1aBgT5kRzwK3v9sQ1mXc7TzLw0Y",
                "start": {"number": 481516, "hash": "9JkYH2dTq4m8wXzR1aBgT5kRzwK3v9sQ1mXc7TzLw0Y"}
              }
            ]
          },
          "AuditPlace": {
            "type": "object",
            "required": ["number", "hash"],
            "properties": {
              "number": {"type": "integer", "minimum": 0, "description": "The number of an entry; 0 before the first."},
              "hash": {"$ref": "#/components/schemas/Hash", "description": "The hash of that entry; it covers all entries up to it."}
            },
            "examples": [{"number": 481516, "hash": "9JkYH2dTq4m8wXzR1aBgT5kRzwK3v9sQ1mXc7TzLw0Y"}]
          },
          "AuditSegmentEntry": {
            "type": "object",
            "required": ["number", "at", "event", "actor", "user_id", "app_id", "detail", "hash"],
            "properties": {
              "number": {"type": "integer", "minimum": 1},
              "at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."},
              "event": {"type": "string"},
              "actor": {"type": "string"},
              "user_id": {"type": "string", "description": "Empty if there is none."},
              "app_id": {"type": "string", "description": "Empty if there is none."},
              "detail": {"type": "string", "description": "A JSON object, as the text that the hash covers."},
              "hash": {"$ref": "#/components/schemas/Hash"}
            },
            "examples": [
              {
                "number": 17,
                "at": 1793000000000,
                "event": "face.registered",
                "actor": "journey",
                "user_id": "usr_0c9JkYH2dTq4m8wXzR1aBg",
                "app_id": "",
                "detail": "{\"photos\":2}",
                "hash": "9JkYH2dTq4m8wXzR1aBgT5kRzwK3v9sQ1mXc7TzLw0Y"
              }
            ]
          },
          "AuditSegmentAnswer": {
            "type": "object",
            "required": ["start", "entries"],
            "properties": {
              "start": {"$ref": "#/components/schemas/AuditPlace", "description": "The position before the first entry."},
              "entries": {"type": "array", "items": {"$ref": "#/components/schemas/AuditSegmentEntry"}, "maxItems": 500}
            },
            "examples": [{"start": {"number": 16, "hash": "9JkYH2dTq4m8wXzR1aBgT5kRzwK3v9sQ1mXc7TzLw0Y"}, "entries": []}]
          },
          "AuditPruneAnswer": {
            "type": "object",
            "required": ["removed", "start"],
            "properties": {
              "removed": {"type": "integer", "minimum": 0, "description": "Number of entries."},
              "start": {"$ref": "#/components/schemas/AuditPlace", "description": "The new start of the log: the last entry that was pruned."}
            },
            "examples": [{"removed": 481516, "start": {"number": 481516, "hash": "9JkYH2dTq4m8wXzR1aBgT5kRzwK3v9sQ1mXc7TzLw0Y"}}]
          },
          "Hash": {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$", "description": "SHA-256, base64url."},
          "AppPage": {
            "type": "object",
            "required": ["items"],
            "properties": {
              "items": {"type": "array", "items": {"$ref": "#/components/schemas/AppAnswer"}},
              "next": {"type": "string", "description": "Always absent: the list is complete."}
            }
          },
          "UserPage": {
            "type": "object",
            "required": ["items"],
            "properties": {
              "items": {"type": "array", "items": {"$ref": "#/components/schemas/UserAnswer"}, "maxItems": 100},
              "next": {"type": "string", "description": "Send it as `after` to get the next page; absent at the end."}
            }
          },
          "AuthenticatorPage": {
            "type": "object",
            "required": ["items"],
            "properties": {
              "items": {"type": "array", "items": {"$ref": "#/components/schemas/AuthenticatorAnswer"}},
              "next": {"type": "string", "description": "Always absent: the list is complete."}
            }
          },
          "ConsentPage": {
            "type": "object",
            "required": ["items"],
            "properties": {
              "items": {"type": "array", "items": {"$ref": "#/components/schemas/ConsentAnswer"}},
              "next": {"type": "string", "description": "Always absent: the list is complete."}
            }
          },
          "JourneyVersionPage": {
            "type": "object",
            "required": ["items"],
            "properties": {
              "items": {"type": "array", "items": {"$ref": "#/components/schemas/JourneyVersionAnswer"}},
              "next": {"type": "string", "description": "Always absent: the list is complete."}
            }
          },
          "AuditPage": {
            "type": "object",
            "required": ["items"],
            "properties": {
              "items": {"type": "array", "items": {"$ref": "#/components/schemas/AuditEntryAnswer"}, "maxItems": 100},
              "next": {"type": "string", "description": "Send it as `after` to get the next page; absent at the end."}
            }
          },
          "Status": {
            "type": "object",
            "required": ["status"],
            "properties": {"status": {"type": "string", "enum": ["alive", "ready"]}},
            "additionalProperties": false
          },
          "KeySet": {
            "type": "object",
            "description": "RFC 7517.",
            "required": ["keys"],
            "properties": {
              "keys": {
                "type": "array",
                "minItems": 1,
                "items": {
                  "type": "object",
                  "required": ["kty", "crv", "use", "alg", "kid", "x", "y"],
                  "properties": {
                    "kty": {"const": "EC"},
                    "crv": {"const": "P-256"},
                    "use": {"const": "sig"},
                    "alg": {"const": "ES256"},
                    "kid": {"type": "string", "description": "The key ID, as in a token's header."},
                    "x": {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$"},
                    "y": {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$"}
                  }
                }
              }
            }
          },
          "TokenError": {
            "type": "object",
            "required": ["error", "error_description"],
            "properties": {
              "error": {
                "enum": [
                  "invalid_request",
                  "invalid_client",
                  "invalid_grant",
                  "unauthorized_client",
                  "unsupported_grant_type",
                  "invalid_scope",
                  "invalid_target",
                  "invalid_dpop_proof",
                  "invalid_token",
                  "insufficient_scope",
                  "insufficient_user_authentication",
                  "temporarily_unavailable",
                  "server_error"
                ]
              },
              "error_description": {"type": "string", "description": "What is wrong with the request; never whether a user exists."},
              "max_age": {
                "type": "integer",
                "minimum": 0,
                "description": "With `insufficient_user_authentication`: the maximum age of the sign-in, in seconds."
              },
              "acr_values": {
                "type": "string",
                "description": "With `insufficient_user_authentication`: the `acr` that a new sign-in must have. Absent if any will do."
              }
            }
          },
          "TokenRequest": {
            "type": "object",
            "required": ["grant_type"],
            "description": "Other required parameters depend on `grant_type`.",
            "properties": {
              "grant_type": {
                "enum": [
                  "authorization_code",
                  "refresh_token",
                  "client_credentials",
                  "urn:ietf:params:oauth:grant-type:token-exchange",
                  "urn:authgear:params:oauth:grant-type:biometric-request"
                ]
              },
              "client_id": {"type": "string"},
              "client_secret": {"type": "string"},
              "scope": {
                "type": "string",
                "maxLength": 2048,
                "description": "Space-separated scopes: `openid`, `offline_access`, `full-access`, `profile`, `email`."
              },
              "resource": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Services the tokens are for, among the app's `resources` (RFC 8707)."
              },
              "code": {"type": "string"},
              "redirect_uri": {"type": "string"},
              "code_verifier": {"type": "string", "minLength": 43, "maxLength": 128},
              "refresh_token": {"type": "string"},
              "repeat_key": {
                "type": "string",
                "minLength": 16,
                "maxLength": 128,
                "description": "With `grant_type=refresh_token`: a secret chosen by the client. Sending the same token with the same key again within ten minutes returns the same response, as long as the new refresh token has not been used."
              },
              "subject_token": {"type": "string", "description": "The token of a completed journey, valid once."},
              "subject_token_type": {"const": "urn:ietf:params:oauth:token-type:jwt"},
              "device_token": {
                "type": "string",
                "description": "With a device key: the device's token from an earlier sign-in. Once the key has signed in on this device, wrong signatures from elsewhere do not lock it here. Any other text, for example `new`, requests a token."
              },
              "jwt": {"type": "string", "maxLength": 16384, "description": "A request signed with a device key: see docs/biometric-login.md."}
            }
          },
          "TokenAnswer": {
            "type": "object",
            "required": ["access_token", "token_type", "expires_in", "scope"],
            "properties": {
              "access_token": {"type": "string", "description": "A JWT, `at+jwt` (RFC 9068), for `expires_in` seconds."},
              "token_type": {"enum": ["Bearer", "DPoP"]},
              "expires_in": {"type": "integer", "minimum": 0},
              "refresh_token": {"type": "string", "description": "Valid once; only with `offline_access`."},
              "id_token": {"type": "string", "description": "A JWT for the app; only with `openid`."},
              "scope": {"type": "string"},
              "issued_token_type": {"type": "string", "description": "After an exchange: RFC 8693."},
              "device_token": {
                "type": "string",
                "description": "A new device token, if the request sent one that does not belong to this user (for example, `new`). Store it on the device and send it with later sign-ins."
              }
            }
          },
          "TokenToLookAt": {
            "type": "object",
            "required": ["token"],
            "properties": {
              "token": {"type": "string"},
              "token_type_hint": {"type": "string"},
              "client_id": {"type": "string"},
              "client_secret": {"type": "string"}
            }
          },
          "Introspection": {
            "type": "object",
            "required": ["active"],
            "properties": {"active": {"type": "boolean"}},
            "description": "RFC 7662. For an invalid token, or a token of another app, only `active`."
          },
          "UserInfo": {
            "type": "object",
            "required": ["sub"],
            "properties": {
              "sub": {"$ref": "#/components/schemas/Identifier"},
              "preferred_username": {"type": "string"},
              "email": {"type": "string"},
              "email_verified": {
                "type": "boolean",
                "description": "With the scope `email`, if there is an address: always true, because unverified addresses are not disclosed."
              }
            }
          },
          "Discovery": {
            "type": "object",
            "required": ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"],
            "properties": {
              "issuer": {"type": "string"},
              "authorization_endpoint": {"type": "string"},
              "token_endpoint": {"type": "string"},
              "jwks_uri": {"type": "string"}
            },
            "description": "RFC 8414 and OpenID Connect Discovery."
          },
          "ChallengeRequest": {
            "type": "object",
            "required": ["purpose"],
            "properties": {"purpose": {"enum": ["biometric_request", "anonymous_request", "app2app_request"]}}
          },
          "ChallengeAnswer": {
            "type": "object",
            "required": ["result"],
            "properties": {
              "result": {
                "type": "object",
                "required": ["token", "expire_at"],
                "properties": {
                  "token": {"type": "string", "pattern": "^[A-Z2-7]{32}$", "description": "Valid once, for five minutes."},
                  "expire_at": {"type": "string", "format": "date-time"}
                }
              }
            }
          },
          "OwnKey": {
            "type": "object",
            "required": ["key_id", "name", "os", "algorithm", "created_at"],
            "properties": {
              "key_id": {"type": "string"},
              "name": {"type": "string"},
              "os": {"type": "string"},
              "algorithm": {"enum": ["ES256", "RS256", "EdDSA"]},
              "created_at": {"type": "integer", "format": "int64"}
            }
          },
          "OwnKeys": {
            "type": "object",
            "required": ["items"],
            "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/OwnKey"}}}
          },
          "KeyNameRequest": {
            "type": "object",
            "required": ["name"],
            "additionalProperties": false,
            "properties": {
              "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 64,
                "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+$"
              }
            },
            "examples": [{"name": "My phone"}]
          },
          "RegistrationOptionsRequest": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "attestation": {
                "enum": ["none", "direct"],
                "description": "Whether the browser requests an attestation statement from the authenticator; `none` by default."
              }
            },
            "examples": [{"attestation": "none"}]
          },
          "SignInOptionsRequest": {
            "type": "object",
            "required": ["client_id"],
            "additionalProperties": false,
            "properties": {
              "client_id": {"type": "string"},
              "client_secret": {"type": "string", "description": "For a confidential app."},
              "username": {"type": "string", "description": "Any of the user's names."}
            },
            "examples": [{"client_id": "default_application", "client_secret": "app_….…", "username": "ada"}]
          },
          "RegisterPasskeyRequest": {
            "type": "object",
            "required": ["credential"],
            "additionalProperties": false,
            "properties": {
              "credential": {
                "type": "object",
                "required": ["type", "rawId", "response"],
                "description": "A `PublicKeyCredential` by its `toJSON()`; other members are ignored.",
                "properties": {
                  "type": {"const": "public-key"},
                  "rawId": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$", "description": "base64url, 1 to 1,023 bytes."},
                  "response": {
                    "type": "object",
                    "required": ["clientDataJSON", "attestationObject"],
                    "properties": {
                      "clientDataJSON": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"},
                      "attestationObject": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"}
                    }
                  }
                }
              },
              "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 64,
                "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+$",
                "description": "The display name in the user's list."
              }
            }
          },
          "PasskeySignInRequest": {
            "type": "object",
            "required": ["client_id", "credential"],
            "additionalProperties": false,
            "properties": {
              "client_id": {"type": "string"},
              "client_secret": {"type": "string", "description": "For a confidential app."},
              "credential": {
                "type": "object",
                "required": ["type", "rawId", "response"],
                "description": "A `PublicKeyCredential` by its `toJSON()`; other members are ignored.",
                "properties": {
                  "type": {"const": "public-key"},
                  "rawId": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$", "description": "base64url, 1 to 1,023 bytes."},
                  "response": {
                    "type": "object",
                    "required": ["clientDataJSON", "authenticatorData", "signature"],
                    "properties": {
                      "clientDataJSON": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"},
                      "authenticatorData": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"},
                      "signature": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"}
                    }
                  }
                }
              },
              "scope": {"type": "string", "description": "`openid offline_access full-access` by default."},
              "resource": {"type": "string", "description": "RFC 8707: one of the app's `resources`."},
              "device_token": {
                "type": "string",
                "description": "The device's token from an earlier sign-in, so that strangers cannot lock the user out on this device. Any other text, for example `new`, requests one."
              }
            }
          },
          "PasskeyRegistrationOptions": {
            "type": "object",
            "required": ["publicKey"],
            "properties": {
              "publicKey": {
                "type": "object",
                "required": ["rp", "user", "challenge", "pubKeyCredParams", "timeout", "excludeCredentials", "authenticatorSelection", "attestation"],
                "properties": {
                  "rp": {"type": "object", "required": ["id", "name"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}}},
                  "user": {
                    "type": "object",
                    "required": ["id", "name", "displayName"],
                    "properties": {
                      "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"},
                      "name": {"type": "string"},
                      "displayName": {"type": "string"}
                    }
                  },
                  "challenge": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"},
                  "pubKeyCredParams": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": ["type", "alg"],
                      "properties": {"type": {"const": "public-key"}, "alg": {"enum": [-7, -8, -257]}}
                    }
                  },
                  "timeout": {"type": "integer", "description": "Milliseconds."},
                  "excludeCredentials": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": ["type", "id"],
                      "properties": {
                        "type": {"const": "public-key"},
                        "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"},
                        "transports": {"type": "array", "items": {"type": "string"}}
                      }
                    }
                  },
                  "authenticatorSelection": {"type": "object"},
                  "attestation": {"enum": ["none", "direct"]}
                }
              }
            }
          },
          "PasskeySignInOptions": {
            "type": "object",
            "required": ["publicKey"],
            "properties": {
              "publicKey": {
                "type": "object",
                "required": ["rpId", "challenge", "allowCredentials", "timeout", "userVerification"],
                "properties": {
                  "rpId": {"type": "string"},
                  "challenge": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"},
                  "allowCredentials": {
                    "type": "array",
                    "maxItems": 10,
                    "items": {
                      "type": "object",
                      "required": ["type", "id"],
                      "properties": {
                        "type": {"const": "public-key"},
                        "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"},
                        "transports": {"type": "array", "items": {"type": "string"}}
                      }
                    }
                  },
                  "timeout": {"type": "integer", "description": "Milliseconds."},
                  "userVerification": {"const": "required"}
                }
              }
            }
          },
          "OwnPasskey": {
            "type": "object",
            "required": ["id", "name", "algorithm", "aaguid", "transports", "attestation", "backup_eligible", "backed_up", "created_at"],
            "properties": {
              "id": {"type": "string"},
              "name": {"type": "string"},
              "algorithm": {"enum": ["ES256", "EdDSA", "RS256"]},
              "aaguid": {"type": "string", "description": "The authenticator's model, if it reports one; only `anchored` attestation proves it."},
              "transports": {"type": "array", "items": {"enum": ["usb", "nfc", "ble", "smart-card", "hybrid", "internal"]}},
              "attestation": {
                "type": "string",
                "description": "What attestation proved about the authenticator: `none`, `self`, `unanchored` or `anchored`, and the format."
              },
              "backup_eligible": {"type": "boolean", "description": "Whether the passkey may be on several devices."},
              "backed_up": {"type": "boolean", "description": "Whether it was backed up when last used."},
              "created_at": {"type": "integer", "description": "Milliseconds since 1970."},
              "used_at": {"type": "integer", "description": "Milliseconds since 1970; absent until it is used."}
            },
            "examples": [
              {
                "id": "aut_2m8Xw0GJ4n6nq0s9u3v5xA",
                "name": "My laptop",
                "algorithm": "ES256",
                "aaguid": "00000000-0000-0000-0000-000000000000",
                "transports": ["internal"],
                "attestation": "none",
                "backup_eligible": false,
                "backed_up": false,
                "created_at": 1800000000000,
                "used_at": 1800000360000
              }
            ]
          },
          "OwnPasskeys": {
            "type": "object",
            "required": ["items"],
            "properties": {"items": {"type": "array", "maxItems": 10, "items": {"$ref": "#/components/schemas/OwnPasskey"}}}
          },
          "SignInForm": {
            "type": "object",
            "properties": {"mark": {"type": "string", "description": "From the page."}, "username": {"type": "string"}, "password": {"type": "string"}}
          },
          "OTPRegistrationRequest": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "kind": {"enum": ["totp", "hotp", null], "default": "totp", "description": "Time-based or counter-based codes."},
              "digits": {"type": ["integer", "null"], "minimum": 6, "maximum": 10, "default": 6}
            },
            "examples": [{"kind": "hotp", "digits": 8}]
          },
          "OTPRegistrationAnswer": {
            "type": "object",
            "required": ["registration_code", "kind", "digits", "expires_at"],
            "properties": {
              "registration_code": {"type": "string", "description": "For one device; valid once."},
              "kind": {"type": "string", "enum": ["totp", "hotp"]},
              "digits": {"type": "integer", "minimum": 6, "maximum": 10},
              "expires_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."}
            },
            "examples": [
              {
                "registration_code": "otc_2m8Xw0GJ4n6nq0s9u3v5xA.q2xZ0n4mW6kq3c1a8Vf7b5t9y0u2i4o6p8s1d3f5g7h",
                "kind": "hotp",
                "digits": 8,
                "expires_at": 1800000600000
              }
            ]
          },
          "RedeemOTPRequest": {
            "type": "object",
            "required": ["registration_code", "public_key", "name", "os"],
            "additionalProperties": false,
            "properties": {
              "registration_code": {
                "type": "string",
                "minLength": 1,
                "maxLength": 128,
                "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+$"
              },
              "public_key": {
                "type": "object",
                "description": "The device's P-256 public key, as a JWK.",
                "required": ["kty", "crv", "x", "y"],
                "properties": {
                  "kty": {"const": "EC"},
                  "crv": {"const": "P-256"},
                  "x": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"},
                  "y": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$"}
                }
              },
              "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 64,
                "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+$",
                "description": "The owner's name for the device."
              },
              "os": {
                "type": "string",
                "minLength": 1,
                "maxLength": 32,
                "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+$"
              }
            },
            "examples": [
              {
                "registration_code": "otc_2m8Xw0GJ4n6nq0s9u3v5xA.q2xZ0n4mW6kq3c1a8Vf7b5t9y0u2i4o6p8s1d3f5g7h",
                "public_key": {
                  "kty": "EC",
                  "crv": "P-256",
                  "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                  "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
                },
                "name": "Ada's phone",
                "os": "ios"
              }
            ]
          },
          "OTPTokenAnswer": {
            "type": "object",
            "required": ["token_id", "app_id", "kind", "algorithm", "digits", "signature_suite", "encapsulated_key", "encrypted_secret"],
            "properties": {
              "token_id": {"type": "string"},
              "app_id": {"type": "string"},
              "kind": {"type": "string", "enum": ["totp", "hotp"]},
              "algorithm": {"const": "SHA256"},
              "digits": {"type": "integer", "minimum": 6, "maximum": 10},
              "period": {"type": "integer", "const": 30, "description": "The time step in seconds, with `totp`."},
              "counter": {"type": "integer", "const": 0, "description": "The first counter, with `hotp`."},
              "signature_suite": {"const": "OCRA-1:HOTP-SHA256-8:QH64"},
              "encapsulated_key": {
                "type": "string",
                "pattern": "^[A-Za-z0-9_-]*$",
                "description": "HPKE (RFC 9180), base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM; `info` is `mien/v1/otp-secret <app_id> <token_id>`, no additional data."
              },
              "encrypted_secret": {"type": "string", "pattern": "^[A-Za-z0-9_-]*$", "description": "32 bytes, and a 16-byte tag."}
            },
            "examples": [
              {
                "token_id": "aut_2m8Xw0GJ4n6nq0s9u3v5xA",
                "app_id": "default_application",
                "algorithm": "SHA256",
                "digits": 6,
                "signature_suite": "OCRA-1:HOTP-SHA256-8:QH64",
                "encapsulated_key": "BL3x",
                "encrypted_secret": "q83v",
                "kind": "totp",
                "period": 30
              },
              {
                "token_id": "aut_2m8Xw0GJ4n6nq0s9u3v5xA",
                "app_id": "default_application",
                "algorithm": "SHA256",
                "digits": 6,
                "signature_suite": "OCRA-1:HOTP-SHA256-8:QH64",
                "encapsulated_key": "BL3x",
                "encrypted_secret": "q83v",
                "kind": "hotp",
                "counter": 0
              }
            ]
          },
          "OwnOTPToken": {
            "type": "object",
            "required": ["id", "kind", "name", "os", "digits", "created_at"],
            "properties": {
              "id": {"type": "string"},
              "kind": {"type": "string", "enum": ["totp", "hotp"]},
              "name": {"type": "string"},
              "os": {"type": "string"},
              "digits": {"type": "integer", "minimum": 6, "maximum": 10},
              "created_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."}
            },
            "examples": [
              {"id": "aut_2m8Xw0GJ4n6nq0s9u3v5xA", "kind": "totp", "name": "Ada's phone", "os": "ios", "digits": 6, "created_at": 1800000000000}
            ]
          },
          "OwnOTPTokens": {
            "type": "object",
            "required": ["items"],
            "properties": {"items": {"type": "array", "maxItems": 1, "items": {"$ref": "#/components/schemas/OwnOTPToken"}}}
          },
          "OTPData": {
            "type": "object",
            "description": "`otpRegistration`, `otpAuthentication`: the latter is the same whether or not the user exists.",
            "required": ["attempts_left"],
            "properties": {
              "attempts_left": {"type": "integer", "minimum": 1},
              "registration_code": {"type": "string", "description": "Only with the first `otpRegistration`: the code for the device."},
              "kind": {"type": "string", "enum": ["totp", "hotp"]},
              "code_length": {"type": "integer", "minimum": 6, "maximum": 10},
              "expires_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."},
              "user_identifier": {"type": "string"},
              "error": {
                "type": "object",
                "description": "Present after a rejected code.",
                "required": ["code"],
                "properties": {"code": {"type": "string", "enum": ["wrong_code", "not_registered"]}}
              }
            }
          },
          "OTPSigningData": {
            "type": "object",
            "description": "`otpTransactionSigning`: the question for the OTP token is the SHA-256 of `transaction_challenge`, in hexadecimal.",
            "required": ["transaction_challenge", "approval_data"],
            "properties": {
              "user_identifier": {"type": "string"},
              "challenge": {"type": "string"},
              "transaction_challenge": {
                "type": "string",
                "description": "`<challenge>.<SHA-256 of approval_data as JSON, keys sorted, base64url>`: the device compares the second part with the data it shows."
              },
              "approval_data": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 10}
            }
          },
          "ProductKeyRequest": {
            "type": "object",
            "required": ["product", "name", "activations"],
            "additionalProperties": false,
            "properties": {
              "product": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[a-z0-9.-]+$"},
              "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100,
                "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+$",
                "description": "A display name for administrators."
              },
              "activations": {"type": "integer", "minimum": 1, "maximum": 1000000, "description": "Maximum number of devices that the key can activate."},
              "days": {"type": "integer", "minimum": 1, "maximum": 3650, "description": "How long a license is valid, in days.", "default": 365}
            },
            "examples": [{"product": "mien-face", "name": "Branch offices", "activations": 50, "days": 365}]
          },
          "ProductKeyAnswer": {
            "type": "object",
            "required": ["id", "product", "name", "activations", "used", "days", "created_at"],
            "properties": {
              "id": {"$ref": "#/components/schemas/Identifier"},
              "product": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[a-z0-9.-]+$"},
              "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100,
                "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+$",
                "description": "A display name for administrators."
              },
              "activations": {"type": "integer", "minimum": 1, "maximum": 1000000, "description": "Maximum number of devices that the key can activate."},
              "used": {"type": "integer", "minimum": 0, "description": "Number of activated devices."},
              "days": {"type": "integer", "minimum": 1, "maximum": 3650, "description": "How long a license is valid, in days."},
              "created_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."},
              "revoked_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."},
              "product_key": {"type": "string", "description": "Returned only once, when the key is created."}
            },
            "examples": [
              {
                "id": "pk_2m8Xw0GJ4n6nq0s9u3v5xA",
                "product": "mien-face",
                "name": "Branch offices",
                "activations": 50,
                "used": 0,
                "days": 365,
                "created_at": 1800000000000,
                "product_key": "pk_2m8Xw0GJ4n6nq0s9u3v5xA.q2xZ0n4mW6kq3c1a8Vf7b5t9y0u2i4o6p8s1d3f5g7h"
              },
              {
                "id": "pk_2m8Xw0GJ4n6nq0s9u3v5xA",
                "product": "mien-face",
                "name": "Branch offices",
                "activations": 50,
                "used": 12,
                "days": 365,
                "created_at": 1800000000000,
                "revoked_at": 1800000600000
              }
            ]
          },
          "ProductKeyPage": {
            "type": "object",
            "required": ["items"],
            "properties": {
              "items": {"type": "array", "items": {"$ref": "#/components/schemas/ProductKeyAnswer"}},
              "next": {"type": "string", "description": "Always absent: the list is complete."}
            }
          },
          "LicenseRequest": {
            "type": "object",
            "required": ["product_key", "device"],
            "additionalProperties": false,
            "properties": {
              "product_key": {"type": "string", "minLength": 1, "maxLength": 128},
              "device": {
                "type": "string",
                "minLength": 43,
                "maxLength": 43,
                "pattern": "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$",
                "description": "The device's identifier: 32 bytes in base64url."
              }
            },
            "examples": [
              {
                "product_key": "pk_2m8Xw0GJ4n6nq0s9u3v5xA.q2xZ0n4mW6kq3c1a8Vf7b5t9y0u2i4o6p8s1d3f5g7h",
                "device": "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA"
              }
            ]
          },
          "LicenseAnswer": {
            "type": "object",
            "required": ["licence", "product", "public_key", "expires_at"],
            "properties": {
              "licence": {
                "type": "string",
                "description": "The license, a signed message (JWS, ES256) of type `mien-licence+jwt`: `product`, `device`, `iat`, `exp`, `iss`."
              },
              "product": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[a-z0-9.-]+$"},
              "public_key": {
                "type": "object",
                "description": "The key that verifies the license, as a JWK: store it with the license, because the published keys rotate."
              },
              "expires_at": {"type": "integer", "format": "int64", "minimum": 0, "description": "Milliseconds since 1970."}
            },
            "examples": [
              {
                "licence": "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl",
                "product": "mien-face",
                "public_key": {
                  "kty": "EC",
                  "crv": "P-256",
                  "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                  "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
                },
                "expires_at": 1831536000000
              }
            ]
          },
          "NoticeForm": {"type": "object", "properties": {"code": {"type": "string", "description": "The link's code."}}, "required": ["code"]},
          "RecoveryCodes": {
            "type": "object",
            "properties": {
              "codes": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 10,
                "maxItems": 10,
                "description": "Each code is valid once. Case, spaces, and hyphens do not matter."
              },
              "created_at": {"type": "integer", "format": "int64"}
            },
            "required": ["codes", "created_at"],
            "examples": [
              {
                "codes": [
                  "7K3QF-2M9XA-0PB4C-ZWR0T",
                  "7K3QF-2M9XA-0PB4C-ZWR1T",
                  "7K3QF-2M9XA-0PB4C-ZWR2T",
                  "7K3QF-2M9XA-0PB4C-ZWR3T",
                  "7K3QF-2M9XA-0PB4C-ZWR4T",
                  "7K3QF-2M9XA-0PB4C-ZWR5T",
                  "7K3QF-2M9XA-0PB4C-ZWR6T",
                  "7K3QF-2M9XA-0PB4C-ZWR7T",
                  "7K3QF-2M9XA-0PB4C-ZWR8T",
                  "7K3QF-2M9XA-0PB4C-ZWR9T"
                ],
                "created_at": 1793003600000
              }
            ]
          },
          "RecoveryCodesStatus": {
            "type": "object",
            "properties": {"remaining": {"type": "integer", "minimum": 0, "maximum": 10}, "created_at": {"type": "integer", "format": "int64"}},
            "required": ["remaining"],
            "examples": [{"remaining": 9, "created_at": 1793003600000}, {"remaining": 0}]
          },
          "OwnRecovery": {
            "type": "object",
            "properties": {
              "id": {"type": "string"},
              "app_id": {"type": "string", "description": "The app in which it was requested."},
              "methods": {"type": "array", "items": {"type": "string"}, "description": "The methods proved for it, as `amr` values."},
              "requested_at": {"type": "integer", "format": "int64"},
              "effective_at": {"type": "integer", "format": "int64", "description": "The earliest time when it can be completed."}
            },
            "required": ["id", "app_id", "methods", "requested_at", "effective_at"],
            "examples": [
              {"id": "rcv_1b9Xh0", "app_id": "default_application", "methods": ["otp"], "requested_at": 1793003600000, "effective_at": 1793090000000}
            ]
          },
          "OwnRecoveries": {
            "type": "object",
            "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/OwnRecovery"}}},
            "required": ["items"]
          },
          "CancelRecoveryRequest": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "client_id": {"type": "string", "description": "The app's ID."},
              "client_secret": {"type": ["string", "null"], "description": "A confidential app's secret."},
              "device_token": {"type": "string", "maxLength": 128, "description": "From the user's earlier sign-in on this device."}
            },
            "required": ["client_id", "device_token"],
            "examples": [
              {"client_id": "default_application", "device_token": "dev_1b9Xh0.c2VjcmV0"},
              {"client_id": "shop", "client_secret": "app_shop.c2VjcmV0", "device_token": "dev_1b9Xh0.c2VjcmV0"}
            ]
          }
        }
      }
    }

    """#
}
