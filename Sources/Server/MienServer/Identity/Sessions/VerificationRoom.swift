internal import MienAPI
internal import MienCore
internal import MienStore

/// The room that verification sessions of no account may take up, so that strangers neither fill the
/// disk nor keep others out.
package struct VerificationRoom: Sendable {
    /// The sessions of journeys that one network, an IPv4 address or an IPv6 /48, may have open.
    let sessionsOfNetwork: Int
    /// The bytes of pictures in sessions that have not ended: once for journeys, once for apps.
    let bytes: Int

    /// One app has half of the bytes, and one network a sixteenth.
    var bytesOfApp: Int { bytes / 2 }
    var bytesOfNetwork: Int { bytes / 16 }

    /// Notes who sends pictures to a session, and checks that they have room.
    ///
    /// - Throws: ``Problem``.
    func require(
        _ images: [AttemptImage], in record: VerificationSessionRecord, from origin: [UInt8],
        _ tables: Tables
    ) throws {
        guard record.account == nil else { return }
        let more = images.reduce(0) { $0 + ($1.content?.use { $0.count } ?? 0) }
        let sessions = tables.verificationSessions
        try sessions.note(origin: origin, of: record.id)
        let stored = try sessions.bytes(owner: record.owner, app: record.app, origin: origin)
        guard stored.origin + more <= bytesOfNetwork else {
            throw Problem(
                .tooManyRequests,
                "Unfinished verifications from your network hold as many pictures as they may. Finish or cancel one, or try again later."
            )
        }
        guard stored.all + more <= bytes, stored.app + more <= bytesOfApp else {
            throw Problem(
                .unavailable,
                "Unfinished verifications hold as many pictures as they may. Try again later.")
        }
    }
}
