import ArgumentParser
import Foundation
import MienLoad
import MienModels
import MienStore
import MienTools

/// `mien-bench gallery`
struct GalleryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gallery",
        abstract: "Measure searches for duplicate faces among many.",
        discussion: """
            Fills a store with invented people, each with a template of random direction of the pack's \
            dimension, loads all of them into memory as a server does, and searches. One search reads \
            the store, as a server without memory does. Needs 9 kB of disk for each face with \
            mien-default-2, and 1.2 kB of memory.

            EXAMPLE
              mien-bench gallery
              mien-bench gallery --faces 100000 --searches 50
            """)

    @Option(help: ArgumentHelp("Number of faces.", valueName: "count")) var faces = 1_000_000
    @Option(help: ArgumentHelp("Number of searches of each kind.", valueName: "count"))
    var searches = 200
    @Option(help: ArgumentHelp("Threads that search at the same time.", valueName: "count"))
    var threads = ProcessInfo.processInfo.activeProcessorCount
    @Flag(
        help:
            "Load once: no search with one thread, and none that reads the store, both of which take minutes with many faces."
    ) var loadOnce = false
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1000...10_000_000).contains(faces) else {
            throw ValidationError("--faces must be 1,000 to 10,000,000, not \(faces)")
        }
        guard (3...10_000).contains(searches) else {
            throw ValidationError("--searches must be 3 to 10,000, not \(searches)")
        }
        guard (1...64).contains(threads) else {
            throw ValidationError("--threads must be 1 to 64, not \(threads)")
        }
    }

    func run() async throws {
        let pack = try engine.loadPack(), bar = ProgressBar("Filling the store", total: faces)
        let result: GalleryBench.Result
        do {
            let store = try await GalleryStore(faces: faces, pack: pack.id, matcher: pack.matcher())
            {
                bar.update($0)
            }
            defer { store.remove() }
            bar.finish()
            result = try await GalleryBench(
                store: store, searches: searches, threads: threads, loadsOnce: loadOnce
            ).run()
        } catch let error as LoadError {
            throw Failure(.notSetUp, "bench.gallery", error.description)
        } catch let error as StoreError {
            throw Failure(.notSetUp, "bench.gallery", "the store could not be filled: \(error)")
        }
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: GalleryBench.Result) -> String {
        func latency(_ latency: LoadFigures.Latency) -> String {
            "\(String.decimal(latency.p50)) / \(String.decimal(latency.p95)) ms"
        }
        let bytes = Double(result.residentBytes) / Double(result.faces)
        return Terminal.table(
            [
                ["faces; numbers of each", "\(result.faces.grouped); \(result.dimension)"],
                ["load", "\(String.decimal(result.loadSeconds)) s"],
                ["resident memory of a face", "\(Int(bytes)) bytes"],
                ["memory set aside for a face", "\(result.reservedBytes / result.faces) bytes"],
                ["search, 1 thread, p50 / p95", result.oneThread.map(latency) ?? "not measured"],
                ["search, \(result.threads) threads, p50 / p95", latency(result.allThreads)],
                ["search after 100 changes, p50 / p95", latency(result.afterChanges)],
                [
                    "searches per second, \(result.threads) at a time",
                    String.decimal(result.searchesPerSecond),
                ],
                ["comparing alone, 1 thread (the reference)", latency(result.scan)],
                [
                    "search that reads the store",
                    result.storeSeconds.map { "\(String.decimal($0)) s" } ?? "not measured",
                ],
            ], heading: ["what", "measured"])
    }
}
