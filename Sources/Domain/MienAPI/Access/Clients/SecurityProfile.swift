public import MienCore

/// A set of demands that others have written, and test.
public enum SecurityProfile: String, WireWord {
    /// FAPI 2.0 Security Profile Final of the OpenID Foundation, with `private_key_jwt` and DPoP.
    case fapi2
}
