internal import MienAPI
internal import MienCore
internal import MienHardware
internal import MienStore

/// A person of an import, checked as far as it needs no database.
struct ImportRecord: Sendable {
    /// The line of the request on which it begins, counted from 1.
    let line: Int
    let person: ImportedPerson
    let password: ForeignPasswordHash?
    let apps: [ImportedAuthenticators.App]

    /// - Parameter readsApps: Reads authenticator apps; `nil` if the request names no app that they
    ///   are for.
    init(
        line: Int, _ person: ImportedPerson, readsApps: ImportedAuthenticators?
    ) throws(ImportFault) {
        (self.line, self.person) = (line, person)
        if let attributes = person.attributes {
            do throws(Problem) { try AccountService.checkAttributes(attributes) } catch {
                throw ImportFault(
                    ImportedPerson.Field.attributes.rawValue, error.errors?.first?.message ?? "")
            }
        }
        var password: ForeignPasswordHash?, apps: [ImportedAuthenticators.App] = []
        if let hash = person.passwordHash {
            do throws(ForeignPasswordHashError) {
                password = try ForeignPasswordHash(hash.use { $0 })
            } catch {
                throw ImportFault(
                    ImportedPerson.Field.passwordHash.rawValue, error.description)
            }
        }
        for secret in person.otp {
            guard let readsApps else {
                throw ImportFault(
                    ImportedPerson.Field.otp.rawValue,
                    "needs the app that the codes are for; name it by otp_app")
            }
            apps.append(try readsApps.read(secret.use { $0 }))
        }
        (self.password, self.apps) = (password, apps)
    }

    /// The profile of a new account.
    var newProfile: AccountProfile {
        var profile = AccountProfile(
            externalID: person.externalID, username: person.username,
            attributes: person.attributes ?? [:])
        profile.setEmail(person.email, isVerified: person.isEmailVerified)
        return profile
    }

    /// Changes what the file says and an account does not.
    ///
    /// - Returns: The names of the fields.
    func change(_ account: inout AccountRecord) -> [String] {
        var profile = account.profile.use { $0 }, changed: [ImportedPerson.Field] = []
        if let id = person.externalID, id != profile.externalID {
            profile.externalID = id
            changed.append(.externalID)
        }
        if let name = person.username, name != profile.username {
            profile.username = name
            changed.append(.username)
        }
        // An address that was verified here stays so.
        if let email = person.email, email != profile.email,
            person.isEmailVerified || email != profile.claimedEmail
        {
            profile.setEmail(email, isVerified: person.isEmailVerified)
            changed.append(.email)
        }
        let attributes = profile.attributes.merging(person.attributes ?? [:]) { $1 }
        if attributes != profile.attributes {
            profile.attributes = attributes
            changed.append(.attributes)
        }
        if let isSuspended = person.isSuspended, isSuspended != (account.state == .suspended) {
            account.state = isSuspended ? .suspended : .active
            changed.append(.state)
        }
        account.profile = Sensitive(profile)
        return changed.map(\.rawValue)
    }
}
