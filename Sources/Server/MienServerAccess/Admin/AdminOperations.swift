package import MienAccess

/// The requests of the admin API and what each needs. A request that is missing here is refused to
/// everybody.
package enum AdminOperations {
    /// By method and route, such as `GET /v1/users/{user}`.
    package static let permissions: [String: AdminPermission] = [
        "GET /v1/administrator": .readSelf,
        "GET /v1/administrators": .readAdministrators,
        "POST /v1/administrators": .changeAdministrators,
        "PUT /v1/administrators/{administrator}/role": .changeAdministrators,
        "DELETE /v1/administrators/{administrator}": .changeAdministrators,

        "GET /v1/apps": .readConfiguration,
        "POST /v1/apps": .changeConfiguration,
        "GET /v1/apps/{app}": .readConfiguration,
        "PUT /v1/apps/{app}": .changeConfiguration,
        "POST /v1/apps/{app}/secret": .changeConfiguration,
        "DELETE /v1/apps/{app}": .changeConfiguration,
        "GET /v1/journeys": .readConfiguration,
        "GET /v1/journeys/{journey}/versions/{version}": .readConfiguration,
        "PUT /v1/journeys/{journey}/versions/{version}": .changeConfiguration,
        "POST /v1/journeys/{journey}/versions/{version}/publish": .changeConfiguration,
        "POST /v1/journeys/{journey}/versions/{version}/retire": .changeConfiguration,
        "GET /v1/product-keys": .readConfiguration,
        "POST /v1/product-keys": .changeConfiguration,
        "DELETE /v1/product-keys/{productkey}": .changeConfiguration,
        "GET /v1/faces/migration": .readConfiguration,

        "GET /v1/users": .readUsers,
        "POST /v1/users": .changeUsers,
        "GET /v1/users/{user}": .readUsers,
        "PATCH /v1/users/{user}": .changeUsers,
        "DELETE /v1/users/{user}": .changeUsers,
        "POST /v1/users/{user}/compromised": .changeUsers,
        "GET /v1/users/{user}/authenticators": .readUsers,
        "DELETE /v1/users/{user}/authenticators/{authenticator}": .changeUsers,
        "POST /v1/users/{user}/authenticators/{authenticator}/unlock": .changeUsers,
        "POST /v1/users/{user}/authenticators/{authenticator}/lock": .changeUsers,
        "GET /v1/users/{user}/consents": .readUsers,
        "DELETE /v1/users/{user}/consents/{app}": .changeUsers,
        "POST /v1/users/{user}/otp/{app}/registrations": .changeUsers,

        "GET /v1/users/{user}/verification": .readVerifications,
        "GET /v1/users/{user}/verification/attempts/{attempt}/evidence": .readVerifications,
        "GET /v1/verifications/keys": .readVerifications,
        "POST /v1/users/{user}/verification/reset": .changeVerifications,
        "PUT /v1/users/{user}/verification/requirement": .changeVerifications,
        "GET /v1/verifications/cases": .reviewIdentities,
        "GET /v1/verifications/cases/{case}": .reviewIdentities,
        "GET /v1/verifications/cases/{case}/images/{role}": .reviewIdentities,
        "POST /v1/verifications/cases/{case}/decision": .reviewIdentities,
        "GET /v1/verifications/sessions/{session}/evidence": .readVerifications,
        "POST /v1/verifications/purge": .changeVerifications,
        "GET /v1/faces/duplicates": .reviewIdentities,
        "GET /v1/faces/duplicates/{case}": .reviewIdentities,
        "POST /v1/faces/duplicates/{case}/decision": .reviewIdentities,
        "GET /v1/registry": .readRegistry,
        "POST /v1/registry/people": .changeRegistry,
        "DELETE /v1/registry/people": .changeRegistry,

        "GET /v1/audit": .readAudit,
        "GET /v1/audit/verify": .readAudit,
        "GET /v1/audit/segment": .readAudit,
        "POST /v1/audit/prune": .pruneAudit,

        "GET /v1/master-keys": .readMasterKeys,
        "POST /v1/master-keys": .changeMasterKeys,
        "DELETE /v1/master-keys/{version}": .changeMasterKeys,
    ]
}
