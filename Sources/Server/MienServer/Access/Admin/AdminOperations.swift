package import MienAPI

/// The requests of the admin API and what each needs. A request that is missing here is refused to
/// everybody.
package enum AdminOperations {
    /// The needs of a request. Both are written for every request, so that a new one cannot be added
    /// without deciding them.
    package struct Requirement: Sendable {
        /// The permission that the administrator's role must have.
        package let permission: AdminPermission
        /// How the administrator must have signed in.
        package let signIn: SignIn

        init(_ permission: AdminPermission, _ signIn: SignIn) {
            (self.permission, self.signIn) = (permission, signIn)
        }
    }

    /// How an administrator must have signed in.
    package enum SignIn: Sendable, CaseIterable {
        /// By any session, or by a credential. For requests that read, that close access, or that
        /// change nothing about who has it.
        case session
        /// By a session that has just begun, or by a credential. For requests that give somebody
        /// access, change how somebody gets it, or erase: a browser left open must not be a way to
        /// lasting access, nor to removing its traces.
        case fresh
        /// By a session that has just begun. For changes of the own sign-in methods: a stolen
        /// credential must not become a sign-in.
        case freshSession
    }

    /// By method and route, such as `GET /v1/users/{user}`.
    package static let all: [String: Requirement] = [
        "GET /v1/administrator": .init(.readSelf, .session),
        "DELETE /v1/administrator/session": .init(.changeSelf, .session),
        "DELETE /v1/administrator/sessions": .init(.changeSelf, .session),
        "GET /v1/administrator/methods": .init(.readSelf, .session),
        "POST /v1/administrator/passkeys/options": .init(.changeSelf, .freshSession),
        "POST /v1/administrator/passkeys": .init(.changeSelf, .freshSession),
        "DELETE /v1/administrator/passkeys/{passkey}": .init(.changeSelf, .freshSession),
        "PUT /v1/administrator/password": .init(.changeSelf, .freshSession),
        "DELETE /v1/administrator/password": .init(.changeSelf, .freshSession),
        "POST /v1/administrator/authenticator-app/options": .init(.changeSelf, .freshSession),
        "PUT /v1/administrator/authenticator-app": .init(.changeSelf, .freshSession),

        "GET /v1/administrators": .init(.readAdministrators, .session),
        "POST /v1/administrators": .init(.changeAdministrators, .fresh),
        "PUT /v1/administrators/{administrator}/role": .init(.changeAdministrators, .fresh),
        "DELETE /v1/administrators/{administrator}": .init(.changeAdministrators, .fresh),
        "POST /v1/administrators/{administrator}/setup-code": .init(.changeAdministrators, .fresh),
        "GET /v1/administrators/setup-codes": .init(.readAdministrators, .session),
        "DELETE /v1/administrators/{administrator}/setup-code": .init(
            .changeAdministrators, .session),
        "GET /v1/administrators/invitations": .init(.readAdministrators, .session),
        "POST /v1/administrators/invitations": .init(.changeAdministrators, .fresh),
        "DELETE /v1/administrators/invitations/{invitation}": .init(
            .changeAdministrators, .session),

        "GET /v1/apps": .init(.readConfiguration, .session),
        "POST /v1/apps": .init(.changeConfiguration, .fresh),
        "GET /v1/apps/{app}": .init(.readConfiguration, .session),
        "GET /v1/apps/{app}/refusals": .init(.readConfiguration, .session),
        "PUT /v1/apps/{app}": .init(.changeConfiguration, .fresh),
        "POST /v1/apps/{app}/secret": .init(.changeConfiguration, .fresh),
        "DELETE /v1/apps/{app}": .init(.changeConfiguration, .fresh),
        "GET /v1/registration-tokens": .init(.readConfiguration, .session),
        "POST /v1/registration-tokens": .init(.changeConfiguration, .fresh),
        "DELETE /v1/registration-tokens/{registrationtoken}": .init(
            .changeConfiguration, .session),
        "GET /v1/app-settings": .init(.readConfiguration, .session),
        "POST /v1/apps/{app}/webhook/test": .init(.changeConfiguration, .session),
        "POST /v1/apps/{app}/logout/test": .init(.changeConfiguration, .session),
        "POST /v1/journeys/webhook/test": .init(.changeConfiguration, .session),
        "GET /v1/journeys": .init(.readConfiguration, .session),
        "GET /v1/journeys/{journey}/versions/{version}": .init(.readConfiguration, .session),
        "PUT /v1/journeys/{journey}/versions/{version}": .init(.changeConfiguration, .session),
        "POST /v1/journeys/{journey}/versions/{version}/publish": .init(
            .changeConfiguration, .fresh),
        "POST /v1/journeys/{journey}/versions/{version}/retire": .init(
            .changeConfiguration, .fresh),
        "POST /v1/journeys/{journey}/versions/{version}/trial": .init(
            .changeConfiguration, .session),
        "POST /v1/journeys/trial/answer": .init(.changeConfiguration, .session),
        "GET /v1/journeys/steps": .init(.readConfiguration, .session),
        "POST /v1/journeys/check": .init(.readConfiguration, .session),
        "POST /v1/journeys/code": .init(.readConfiguration, .session),
        "POST /v1/journeys/simulate": .init(.readConfiguration, .session),
        "GET /v1/product-keys": .init(.readConfiguration, .session),
        "POST /v1/product-keys": .init(.changeConfiguration, .fresh),
        "DELETE /v1/product-keys/{productkey}": .init(.changeConfiguration, .session),
        "GET /v1/face-groups": .init(.readConfiguration, .session),
        "POST /v1/face-groups": .init(.changeConfiguration, .fresh),
        "GET /v1/face-groups/{facegroup}": .init(.readConfiguration, .session),
        "PUT /v1/face-groups/{facegroup}": .init(.changeConfiguration, .fresh),
        "DELETE /v1/face-groups/{facegroup}": .init(.changeConfiguration, .fresh),
        "GET /v1/faces/migration": .init(.readConfiguration, .session),
        "GET /v1/settings": .init(.readConfiguration, .session),
        "GET /v1/page-settings": .init(.readConfiguration, .session),
        "PUT /v1/page-settings": .init(.changeConfiguration, .session),
        "GET /v1/verifications/sources": .init(.readConfiguration, .session),
        "POST /v1/verifications/sources/{source}/test": .init(.changeConfiguration, .session),
        "POST /v1/mail/test": .init(.changeConfiguration, .session),
        "GET /v1/metrics": .init(.readMetrics, .session),

        "GET /v1/organizations": .init(.readUsers, .session),
        "POST /v1/organizations": .init(.changeUsers, .session),
        "GET /v1/organizations/{organization}": .init(.readUsers, .session),
        "PATCH /v1/organizations/{organization}": .init(.changeUsers, .fresh),
        "DELETE /v1/organizations/{organization}": .init(.changeUsers, .fresh),
        "GET /v1/organizations/{organization}/deletion": .init(.readUsers, .session),
        "PUT /v1/organizations/{organization}/apps/{app}": .init(.changeUsers, .fresh),
        "DELETE /v1/organizations/{organization}/apps/{app}": .init(.changeUsers, .session),
        "GET /v1/organizations/{organization}/members": .init(.readUsers, .session),
        "POST /v1/organizations/{organization}/members": .init(.changeUsers, .fresh),
        "PUT /v1/organizations/{organization}/members/{user}/roles": .init(.changeUsers, .fresh),
        "DELETE /v1/organizations/{organization}/members/{user}": .init(.changeUsers, .session),
        "GET /v1/organizations/{organization}/invitations": .init(.readUsers, .session),
        "POST /v1/organizations/{organization}/invitations": .init(.changeUsers, .fresh),
        "DELETE /v1/organizations/{organization}/invitations/{invitation}": .init(
            .changeUsers, .session),

        "GET /v1/organizations/{organization}/scim-tokens": .init(.readUsers, .session),
        "POST /v1/organizations/{organization}/scim-tokens": .init(.changeUsers, .fresh),
        "DELETE /v1/organizations/{organization}/scim-tokens/{scimtoken}": .init(
            .changeUsers, .session),

        "GET /v1/users": .init(.readUsers, .session),
        "POST /v1/users": .init(.changeUsers, .fresh),
        "POST /v1/users/import": .init(.changeUsers, .fresh),
        "GET /v1/users/{user}": .init(.readUsers, .session),
        "PATCH /v1/users/{user}": .init(.changeUsers, .fresh),
        "DELETE /v1/users/{user}": .init(.changeUsers, .fresh),
        "POST /v1/users/{user}/compromised": .init(.changeUsers, .session),
        "GET /v1/users/{user}/erasure": .init(.readUsers, .session),
        "GET /v1/users/{user}/organizations": .init(.readUsers, .session),
        "GET /v1/users/{user}/groups": .init(.readUsers, .session),
        "PUT /v1/users/{user}/groups": .init(.changeUsers, .fresh),
        "GET /v1/groups": .init(.readUsers, .session),
        "GET /v1/users/{user}/sign-ins": .init(.readUsers, .session),
        "DELETE /v1/users/{user}/sign-ins": .init(.changeUsers, .session),
        "DELETE /v1/users/{user}/sign-ins/{signin}": .init(.changeUsers, .session),
        "GET /v1/users/{user}/authenticators": .init(.readUsers, .session),
        "DELETE /v1/users/{user}/authenticators/{authenticator}": .init(.changeUsers, .fresh),
        "POST /v1/users/{user}/authenticators/{authenticator}/unlock": .init(.changeUsers, .fresh),
        "POST /v1/users/{user}/authenticators/{authenticator}/lock": .init(.changeUsers, .session),
        "GET /v1/users/{user}/consents": .init(.readUsers, .session),
        "DELETE /v1/users/{user}/consents/{app}": .init(.changeUsers, .fresh),
        "POST /v1/users/{user}/otp/{app}/registrations": .init(.changeUsers, .fresh),

        "GET /v1/users/{user}/verification": .init(.readVerifications, .session),
        "GET /v1/users/{user}/verification/attempts/{attempt}/evidence": .init(
            .readVerifications, .session),
        "GET /v1/verifications/keys": .init(.readVerifications, .session),
        "POST /v1/users/{user}/verification/reset": .init(.changeVerifications, .fresh),
        "PUT /v1/users/{user}/verification/requirement": .init(.changeVerifications, .fresh),
        "GET /v1/verifications/documents": .init(.reviewIdentities, .session),
        "GET /v1/verifications/cases": .init(.reviewIdentities, .session),
        "GET /v1/verifications/cases/{case}": .init(.reviewIdentities, .session),
        "GET /v1/verifications/cases/{case}/images/{role}": .init(.reviewIdentities, .session),
        "POST /v1/verifications/cases/{case}/decision": .init(.reviewIdentities, .fresh),
        "GET /v1/verifications/sessions/{session}/evidence": .init(.readVerifications, .session),
        "POST /v1/verifications/purge": .init(.changeVerifications, .fresh),
        "GET /v1/faces/duplicates": .init(.reviewIdentities, .session),
        "GET /v1/faces/duplicates/{case}": .init(.reviewIdentities, .session),
        "POST /v1/faces/duplicates/{case}/decision": .init(.reviewIdentities, .fresh),
        "GET /v1/registry": .init(.readRegistry, .session),
        "POST /v1/registry/people": .init(.changeRegistry, .fresh),
        "DELETE /v1/registry/people": .init(.changeRegistry, .fresh),

        "GET /v1/audit": .init(.readAudit, .session),
        "GET /v1/audit/events": .init(.readAudit, .session),
        "GET /v1/audit/verify": .init(.readAudit, .session),
        "GET /v1/audit/segment": .init(.readAudit, .session),
        "POST /v1/audit/prune": .init(.pruneAudit, .fresh),

        "GET /v1/master-keys": .init(.readMasterKeys, .session),
        "POST /v1/master-keys": .init(.changeMasterKeys, .fresh),
        "DELETE /v1/master-keys/{version}": .init(.changeMasterKeys, .fresh),
    ]
}
