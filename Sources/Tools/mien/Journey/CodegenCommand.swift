import ArgumentParser
import Foundation
import MienJourney
import MienTools

/// `mien journey codegen FILE`
struct CodegenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codegen",
        abstract: "Generate client code for the branches of a journey's steps.",
        discussion: """
            For each step that asks the client, the code has one typed answer for each branch, with \
            the fields of its schema. Swift is for apps with MienClient, Kotlin for apps with the kit \
            for Android; TypeScript has no dependencies.

            EXAMPLE
              mien journey codegen face-login.json --language swift --output FaceLoginJourney.swift
              mien journey codegen face-login.json --language kotlin --output FaceLoginJourney.kt
              mien journey codegen face-login.json --language typescript
            """)

    enum Language: String, ExpressibleByArgument, CaseIterable { case swift, kotlin, typescript }

    @Argument(help: "The journey definition.") var file: String
    @Option(help: "The language of the code.") var language: Language
    @Option(help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"))
    var output: String?
    @OptionGroup var form: OutputOptions

    func run() throws {
        let journey = try JourneyFile.definition(file)
        if let output { try OutputFile.check(file: output) }
        let code =
            switch language {
            case .swift: SwiftClientCode.source(of: journey)
            case .kotlin: KotlinClientCode.source(of: journey)
            case .typescript: TypeScriptClientCode.source(of: journey)
            }
        guard let output else {
            return form.json
                ? JSON.print(Output(language: language.rawValue, file: nil, code: code))
                : print(code, terminator: "")
        }
        try OutputFile.write(Data(code.utf8), to: URL(filePath: output))
        if form.json {
            JSON.print(Output(language: language.rawValue, file: output, code: nil))
        } else {
            print("\(output): client code for \(journey.id), version \(journey.version).")
        }
    }

    private struct Output: Encodable {
        let language: String
        let file, code: String?
    }
}
