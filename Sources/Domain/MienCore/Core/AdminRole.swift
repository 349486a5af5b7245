/// The task of an administrator. It decides which requests of the admin API the administrator's
/// credential opens.
public enum AdminRole: String, WireWord {
    /// May do everything, and alone manages administrators and removes entries of the audit log.
    case owner
    /// Runs apps, journeys, and users. Neither sees nor decides unclear identities. An operator can
    /// act as an app, and so read what people sent to the app's verification sessions.
    case `operator`
    /// Decides unclear identities.
    case reviewer
    /// Reads everything except what people sent to verify their identity; changes nothing.
    case auditor
}
