internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienStore

extension EffectPerformer {
    /// Whose turn an effect's expensive work takes: what the client has proved, or else its
    /// address.
    ///
    /// An account that is only named divides the turns of the address that names it. It is told
    /// apart by the name as typed, not by the account, so that two names of one account are two
    /// parts, as two names of nobody are.
    func share(of user: UserReference, _ account: AccountRecord?, _ context: EffectContext)
        -> WorkShare
    {
        if let account {
            if let device = context.device(of: account.id) {
                return .device(device, of: account.id)
            }
            if context.signedIn == account.id { return .signedIn(account.id) }
        }
        switch user {
        case .id(let id): return .stranger(naming: id.text)
        case .identifier(let text):
            return .stranger(
                naming: text.use {
                    Base64URL.encode(
                        store.keys.hash(
                            ofSecret: Array((LoginName.candidates($0).first?.normal ?? "").utf8)))
                })
        }
    }
}
