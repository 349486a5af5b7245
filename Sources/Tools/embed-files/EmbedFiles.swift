import Foundation

/// `embed-files LIST FOLDER OUTPUT NAME`: writes the Swift file `OUTPUT`, an enum `NAME` with the texts of
/// the files that `LIST` names. The build runs it for each list of a target that uses the plugin
/// `EmbedFiles`.
///
/// Each line of the list is a name for Swift, a space, and a path from `FOLDER`. Empty lines and
/// lines that begin with `#` are skipped.
@main
enum EmbedFiles {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4 else {
            fail("usage: embed-files LIST FOLDER OUTPUT NAME")
        }
        let paths = Array(arguments)
        let list = text(of: URL(filePath: paths[0]))
        var members: [String] = [], names: Set<Substring> = []
        for (index, line) in list.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated() where !line.isEmpty && !line.hasPrefix("#")
        {
            let words = line.split(separator: " ")
            guard words.count == 2 else {
                fail("\(paths[0]):\(index + 1): expected a name, a space, and a path: “\(line)”")
            }
            guard words[0].wholeMatch(of: /[a-z][A-Za-z0-9]*/) != nil,
                names.insert(words[0]).inserted
            else {
                fail("\(paths[0]):\(index + 1): “\(words[0])” is not a new name in camel case")
            }
            let content = text(of: URL(filePath: paths[1]).appending(path: String(words[1])))
            members.append(
                """
                    /// `\(words[1])`
                    static let \(words[0]) = \(literal(content))
                """)
        }
        let output = """
            /// Files of the repository, written here by the build.
            enum \(paths[3]) {
            \(members.joined(separator: "\n\n"))
            }

            """
        do {
            try output.write(to: URL(filePath: paths[2]), atomically: true, encoding: .utf8)
        } catch {
            fail("\(paths[2]): cannot be written: \(error.localizedDescription)")
        }
    }

    /// A multiline string literal with the text. It has more number signs than any run in the text,
    /// so that nothing in the text ends it or escapes from it.
    static func literal(_ text: String) -> String {
        let longest = text.matches(of: /#+/).map(\.output.count).max() ?? 0
        let signs = String(repeating: "#", count: longest + 1)
        return "\(signs)\"\"\"\n\(text)\n\"\"\"\(signs)"
    }

    /// - Returns: A file's text: UTF-8, with line feeds alone, since a literal turns other line ends
    ///   into line feeds.
    static func text(of file: URL) -> String {
        guard let bytes = try? Data(contentsOf: file) else { fail("\(file.path): cannot be read") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            fail("\(file.path): is not UTF-8")
        }
        guard !text.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\0" }) else {
            fail("\(file.path): has a carriage return or a NUL; lines must end with a line feed")
        }
        return text
    }

    static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(1)
    }
}
