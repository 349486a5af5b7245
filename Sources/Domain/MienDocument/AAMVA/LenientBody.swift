/// Finds subfiles and elements by their look, whatever the directory says.
struct LenientBody {
    private let bytes: ArraySlice<UInt8>
    /// The directory's subfile types.
    private let types: Set<String>

    init(_ bytes: ArraySlice<UInt8>, types: [String]) {
        self.bytes = bytes
        self.types = Set(types).union(["DL", "ID", "EN"])
    }

    private static let separators: Set<UInt8> = [10, 13, 28, 29, 30]

    private struct Line {
        var text: ArraySlice<UInt8>
        var ending: ArraySlice<UInt8>
    }

    /// Returns the subfiles, and what comes before the first.
    func subfiles() -> (subfiles: [AAMVACard.Subfile], before: [UInt8]) {
        let begin = self.begin
        var out = Builder(before: Array(bytes[..<begin]))
        for line in lines(bytes[begin...]) {
            var text = line.text
            if let type = subfileType(text, isFirst: out.isEmpty) {
                out.open(type, Array(text.prefix(2)))
                text = text.dropFirst(2)
            }
            if ElementID.isOne(text.prefix(3)) {
                out.add(text, ending: Array(line.ending))
            } else {
                out.extend(Array(text) + Array(line.ending))
            }
        }
        return out.finished()
    }

    /// Where the first subfile or element begins; text before it is part of a malformed header.
    private var begin: Int {
        for index in bytes.indices.dropLast(2) {
            let rest = bytes[index...]
            if ElementID.isOne(rest.prefix(3)), rest.first == UInt8(ascii: "D") { return index }
            if subfileType(rest, isFirst: true) != nil,
                rest.dropFirst(2).first.map(Self.separators.contains) ?? false
                    || ElementID.isOne(rest.dropFirst(2).prefix(3))
            {
                return index
            }
        }
        return bytes.endIndex
    }

    private func lines(_ bytes: ArraySlice<UInt8>) -> [Line] {
        var lines: [Line] = [], rest = bytes
        while !rest.isEmpty {
            let text = rest.prefix { !Self.separators.contains($0) }
            let ending = rest[text.endIndex...].prefix { Self.separators.contains($0) }
            lines.append(Line(text: text, ending: ending))
            rest = rest[ending.endIndex...]
        }
        return lines
    }

    /// The type of the subfile that begins with the line: alone, or before an element.
    private func subfileType(_ line: ArraySlice<UInt8>, isFirst: Bool) -> String? {
        guard AAMVAParser.isType(line.prefix(2)) else { return nil }
        let type = textOf(Array(line.prefix(2))), rest = line.dropFirst(2)
        let isOwn = line.first == UInt8(ascii: "Z")
        guard types.contains(type) || isOwn else { return nil }
        if rest.isEmpty { return type }
        if isOwn {
            // ZFZFA: the type, then an element of that type.
            return rest.starts(with: line.prefix(2)) && ElementID.isOne(rest.prefix(3)) ? type : nil
        }
        if ElementID.isOne(rest.prefix(3)), rest.first == UInt8(ascii: "D") { return type }
        return isFirst && Self.separators.contains(rest.first ?? 0) ? type : nil
    }

    /// Subfiles in the making. Every byte that it is given ends up in one of its parts.
    private struct Builder {
        private var before: [UInt8]
        private var closed: [AAMVACard.Subfile] = []
        private var type: String?
        private var start: [UInt8] = []
        private var elements: [AAMVAElement] = []

        init(before: [UInt8]) { self.before = before }

        var isEmpty: Bool { type == nil }

        mutating func open(_ type: String, _ start: [UInt8]) {
            close()
            (self.type, self.start, elements) = (type, start, [])
        }

        mutating func add(_ text: ArraySlice<UInt8>, ending: [UInt8]) {
            // Some cards omit the type before the first element.
            if type == nil { type = "DL" }
            let value = Array(text.dropFirst(3))
            elements.append(
                AAMVAElement(
                    id: AAMVAElementID(rawValue: textOf(Array(text.prefix(3)))),
                    value: textOf(value), bytes: value, ending: ending))
        }

        /// Adds text that is not an element: it continues the previous one.
        mutating func extend(_ bytes: [UInt8]) {
            if let last = elements.popLast() {
                let isSeparator = bytes.allSatisfy { LenientBody.separators.contains($0) }
                let value = isSeparator ? last.bytes : last.bytes + last.ending + bytes
                var end = value.count
                while !isSeparator, end > 0, LenientBody.separators.contains(value[end - 1]) {
                    end -= 1
                }
                elements.append(
                    AAMVAElement(
                        id: last.id, value: textOf(Array(value[..<end])),
                        bytes: Array(value[..<end]),
                        ending: isSeparator ? last.ending + bytes : Array(value[end...])))
            } else if type != nil {
                start += bytes
            } else {
                before += bytes
            }
        }

        private mutating func close() {
            guard let type else { return }
            closed.append(AAMVACard.Subfile(type: type, elements: elements, start: start))
        }

        mutating func finished() -> (subfiles: [AAMVACard.Subfile], before: [UInt8]) {
            close()
            return (closed, before)
        }
    }
}
