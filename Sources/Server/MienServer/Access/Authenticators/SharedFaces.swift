package import MienAPI
package import MienCore
package import MienStore

/// The ends of shared faces, and the consents to them.
extension Tables {
    /// The most shared faces that are read at once.
    private static let facePage = 500

    /// Lets an app leave its group of apps that share faces: it may not use the shared faces any
    /// longer, and those that only it used are erased.
    ///
    /// Call it before the group is stored without the app.
    ///
    /// - Returns: The number of erased faces.
    package func leaveFaceGroup(
        _ group: FaceGroupRecord, _ app: AppID, actor: String, at now: Instant
    ) throws -> Int {
        _ = try grants.revokeAll(byFacesOf: group.id, in: app, at: now)
        // What has not become a sign-in yet may rest on a shared face, too.
        try runs.deleteAll(ofApp: app)
        try captures.deleteAll(ofApp: app)
        try faceGroups.forgetUses(in: app)
        return try eraseFaces(of: group.id, isUnused: true, because: app, actor: actor, at: now)
    }

    /// Lets an app that is being deleted leave its group, if it is in one.
    package func leaveFaceGroup(_ app: AppID, actor: String, at now: Instant) throws {
        guard let old = try faceGroups.group(of: app) else { return }
        let erased = try leaveFaceGroup(old, app, actor: actor, at: now)
        var group = old
        group.replaceApps(with: Set(old.apps.keys).subtracting([app]))
        try faceGroups.update(group, from: old)
        try audit.append(
            AuditEvent(
                "face-group.changed", actor: actor, app: app,
                detail: [
                    "group": .string(group.id.text), "app_deleted": true,
                    "faces_erased": .number(Double(erased)),
                ]), at: now)
    }

    /// Ends a group of apps that share faces, and erases its faces.
    ///
    /// - Returns: The number of erased faces.
    package func endFaceGroup(_ group: FaceGroupRecord, actor: String, at now: Instant) throws
        -> Int
    {
        let erased = try eraseFaces(of: group.id, isUnused: false, actor: actor, at: now)
        let space = group.id.space
        try authenticators.deleteAll(ofApp: space)
        try locks.deleteAll(ofApp: space)
        try consents.withdrawAll(ofApp: space, at: now)
        for app in group.apps.keys.sorted() {
            try runs.deleteAll(ofApp: app)
            try captures.deleteAll(ofApp: app)
        }
        _ = try faceGroups.delete(group.id)
        for app in group.apps.keys.sorted() { try duplicateCases.deleteFaceless(in: app) }
        return erased
    }

    /// Erases faces of a group, and ends the sign-ins that rest on them.
    ///
    /// - Parameter app: The app whose leaving leaves them to nobody.
    private func eraseFaces(
        of group: FaceGroupID, isUnused: Bool, because app: AppID? = nil, actor: String,
        at now: Instant
    ) throws -> Int {
        var erased = 0
        while true {
            let page = try faceGroups.faces(of: group, isUnused: isUnused, atMost: Self.facePage)
            for (face, owner) in page {
                _ = try grants.revokeAll(by: face, at: now)
                guard try authenticators.delete(face, of: owner) else {
                    throw StoreError(.stale, "a shared face is no longer there")
                }
                try audit.append(
                    AuditEvent(
                        "face.removed", actor: actor, account: owner, app: app ?? group.space,
                        detail: [
                            "authenticator": .string(face.text), "reason": "face-group",
                            "group": .string(group.text),
                        ]), at: now)
            }
            erased += page.count
            if page.count < Self.facePage { return erased }
        }
    }

    /// Records that a person agreed to share a face with the apps of a group, unless such a consent
    /// to this version is in effect.
    package func recordSharingConsent(
        _ id: String, of account: UserID, _ sharing: FaceSharing, at now: Instant
    ) throws {
        let space = sharing.group.space
        let known = try consents.current(of: account, app: space, purpose: FaceSharing.purpose)
        guard known?.textVersion != sharing.textVersion,
            try faceGroups.find(sharing.group) != nil
        else { return }
        try consents.insert(
            ConsentRecord(
                id: id, account: account, app: space, purpose: FaceSharing.purpose,
                textVersion: sharing.textVersion, givenAt: now))
    }
}
