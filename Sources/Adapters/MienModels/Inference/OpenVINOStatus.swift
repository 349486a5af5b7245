internal import CMienOpenVINO

/// Calls the shim and converts an error status to an error with the shim's own message.
///
/// - Parameter subject: The subject of the call, such as a file name. It precedes the reason.
func checked(_ subject: String, _ call: (UnsafeMutablePointer<CChar>, Int) -> Int32)
    throws(InferenceError)
{
    var why = [CChar](repeating: 0, count: 1024)
    let status = unsafe why.withUnsafeMutableBufferPointer {
        unsafe call($0.baseAddress!, $0.count)
    }
    guard Int(status) != mien_ov_ok else { return }
    let said = why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    throw InferenceError(
        code(of: status), "\(subject): \(firstSentence(of: String(decoding: said, as: UTF8.self)))")
}

private func code(of status: Int32) -> InferenceError.Code {
    switch Int(status) {
    case mien_ov_no_runtime: .noRuntime
    case mien_ov_unreadable: .unreadableModel
    case mien_ov_uncompilable: .uncompilableModel
    case mien_ov_unsuitable: .unsuitableModel
    default: .failed
    }
}

/// OpenVINO reports errors as a stack of source lines; the last non-empty line states the cause.
private func firstSentence(of text: String) -> String {
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }
        .filter { !$0.isEmpty }
    guard let head = lines.first else { return "the library gave no reason" }
    guard let last = lines.last, lines.count > 1 else { return String(head) }
    return head.contains(": Exception from")
        ? "\(head.prefix { $0 != ":" }): \(last)" : "\(head); \(last)"
}
