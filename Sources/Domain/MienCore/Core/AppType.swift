/// Whether an app keeps a secret.
public enum AppType: String, WireWord {
    /// Runs on users' devices: its identifier is public and proves nothing.
    case `public`
    /// Runs on a server of the operator and proves itself with a secret.
    case confidential
}
