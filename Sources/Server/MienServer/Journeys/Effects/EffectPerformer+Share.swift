internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

extension EffectPerformer {
    /// Returns the share that an effect's expensive work is queued for: what the client has proved,
    /// or else its address.
    ///
    /// An account that is only named divides the turns of the address that names it. Parts are
    /// distinguished by the name as typed, not by the account, so two names of one account are two
    /// parts, just as two unknown names are.
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
