internal import SystemTSS

/// A response code of the TPM or of a layer of its library.
///
/// Source: TPM 2.0 Library part 2, 6.6 "TPM_RC"; TSS 2.0 Overview and Common Structures, "Return
/// codes".
struct Response {
    let number: UInt32

    init(_ number: UInt32) { self.number = number }

    /// Bits 16…23: the layer that reports the response.
    private var layer: UInt32 { number >> 16 & 0xFF }
    /// 0 is the TPM itself; 12 is the TPM through a resource manager.
    var isFromTPM: Bool { layer == 0 || layer == 12 }
    /// The format-one code without the bits that identify a handle, parameter, or session.
    private var formatOne: UInt32? { isFromTPM && number & 0x80 != 0 ? number & 0x3F : nil }

    /// TPM_RC_AUTH_FAIL counts toward the dictionary-attack limit; TPM_RC_BAD_AUTH does not.
    var isWrongAuth: Bool { formatOne == 0x0E || formatOne == 0x22 }
    var isLockout: Bool { isFromTPM && number & 0xFFFF == 0x921 }
    var isPolicyFailure: Bool { formatOne == 0x1D }
    /// TPM_RC_HANDLE: nothing has this handle.
    var isNoHandle: Bool { formatOne == 0x0B }
    /// Whether the TPM rejected its input.
    var isAboutInput: Bool { formatOne != nil }
    /// Layers 10 (transport) and 11 (resource manager), and the upper layers' "I/O error" and "no
    /// connection".
    var isTransport: Bool {
        layer == 10 || layer == 11
            || ((7...9).contains(layer) && [8, 10].contains(number & 0xFFFF))
    }

    /// The description from tss2-rc.
    var words: String {
        guard let text = unsafe Tss2_RC_Decode(number) else {
            return "response 0x\(String(number, radix: 16))"
        }
        return unsafe String(cString: text)
    }

    func error(_ code: TPMError.Code, _ doing: String) -> TPMError {
        TPMError(code, "\(doing): \(words)", response: number)
    }

    /// Returns the error for a response that needs no special handling.
    func plainError(_ doing: String) -> TPMError {
        if isLockout { return error(.lockedOut, doing) }
        return error(isTransport ? .unreachable : .failed, doing)
    }
}

/// Throws the plain error unless the call succeeded.
func checked(_ number: TSS2_RC, _ doing: String) throws(TPMError) {
    guard number == TSS2_RC_SUCCESS else { throw Response(number).plainError(doing) }
}
