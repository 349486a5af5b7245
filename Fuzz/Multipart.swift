internal import MienAPI

/// Reads any bytes as a form with files: the first line is the boundary.
///
/// Must hold: the result is an error, or parts with unique names that lie in the body, in order.
func fuzzMultipart(_ bytes: [UInt8]) {
    let line = bytes.prefix { $0 != 0x0A }
    guard let boundary = String(validating: line, as: UTF8.self) else { return }
    let body = Array(bytes.dropFirst(line.count + 1))
    for type in [boundary, "multipart/form-data; boundary=\(boundary)"] {
        guard let form = try? MultipartForm(parsing: body, contentType: type) else { continue }
        precondition(form.parts.count <= MultipartForm.maxParts)
        precondition(Set(form.parts.map(\.name)).count == form.parts.count)
        var end = 0
        for part in form.parts {
            precondition(part.content.startIndex >= end && part.content.endIndex <= body.count)
            precondition(part.content.elementsEqual(body[part.content.indices]))
            end = part.content.endIndex
        }
    }
}
