internal import MienCore

/// The cells of a row of CSV (RFC 4180).
public struct CSVRow: Sendable, Hashable {
    public let cells: [String]

    /// - Throws: ``ImportFault`` for text that is not UTF-8, a NUL, and quotes in the wrong place.
    public init(_ bytes: [UInt8]) throws(ImportFault) {
        guard !bytes.contains(0) else { throw ImportFault(nil, "must not contain NUL") }
        var cells: [String] = [], cell: [UInt8] = []
        var isQuoted = false, wasQuoted = false
        func text() throws(ImportFault) -> String {
            guard let text = String(validUTF8: cell) else {
                throw ImportFault(nil, "is not UTF-8; save the file as CSV UTF-8")
            }
            return text
        }
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isQuoted {
                guard byte == UInt8(ascii: "\"") else {
                    cell.append(byte)
                    continue
                }
                if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                    cell.append(byte)
                    index += 1
                } else {
                    (isQuoted, wasQuoted) = (false, true)
                }
            } else if byte == UInt8(ascii: ",") {
                cells.append(try text())
                (cell, wasQuoted) = ([], false)
            } else if byte == UInt8(ascii: "\""), cell.isEmpty, !wasQuoted {
                isQuoted = true
            } else {
                guard byte != UInt8(ascii: "\""), !wasQuoted else {
                    throw ImportFault(
                        nil,
                        "has a quote in the middle of a cell; enclose the cell in quotes, and write quotes in it twice"
                    )
                }
                cell.append(byte)
            }
        }
        guard !isQuoted else { throw ImportFault(nil, "has a quote that is not closed") }
        cells.append(try text())
        self.cells = cells
    }
}
