internal import Foundation
internal import MienCore
package import MienFace
internal import MienMedia
package import MienModels
internal import MienVault

/// Processes a collection of photos on all cores, with a progress bar. Skips photos whose
/// descriptors are cached.
package struct DescriptorReader {
    let engine: FaceEngine
    /// `nil` when descriptors are neither read from a cache nor added to it.
    let cache: DescriptorCache?
    let workers: Int

    /// A photo that gave a descriptor, by its index in the collection.
    package struct Reading: Sendable {
        package let photo: Int
        package let descriptor: FaceDescriptor
        package let quality: Int
    }

    package struct Outcome {
        package var readings: [Reading] = []
        /// The indices of photos without a face.
        package var faceless: [Int] = []
        /// The indices of photos that could not be read, with the reasons.
        package var unreadable: [(photo: Int, reason: String)] = []
    }

    package init(_ options: EngineOptions, usesCache: Bool = true) throws {
        let pack = try options.loadPack()
        workers = ProcessInfo.processInfo.activeProcessorCount
        engine = try options.loadEngine(pack, workers: workers)
        cache =
            usesCache
            ? try DescriptorCache.open(
                folder: options.home.evaluationCache.path,
                keyPath: options.home.folder.appending(path: "evaluation.key").path,
                pipeline: try Self.pipeline(of: pack, options)) : nil
    }

    /// Everything a descriptor depends on. A change in any of these requires a new descriptor.
    package static func pipeline(of pack: ModelPack, _ options: EngineOptions) throws -> String {
        let networks = pack.manifest.files.filter {
            pack.manifest.networkFiles.contains($0.name) || $0.name.hasSuffix(".bin")
        }
        return
            ([
                "pipeline 4", pack.id.text, options.precision.rawValue,
                "\(pack.manifest.geometry.descriptor.crops)",
                pack.manifest.geometry.descriptor.strength.map { "\($0)" } ?? "",
            ] + networks.map(\.sha256))
            .joined(
                separator: "\n")
    }

    package func read(_ collection: PhotoCollection) async throws -> Outcome {
        let progress = ProgressBar("Processing photos", total: collection.photos.count)
        defer { progress.finish() }
        var outcome = Outcome(), next = 0, done = 0
        try await withThrowingTaskGroup(of: (Int, Result<DescriptorCache.Entry, Failure>).self) {
            group in
            func add() {
                guard next < collection.photos.count else { return }
                let (index, path) = (next, collection.photos[next].path)
                next += 1
                group.addTask { (index, try await entry(path)) }
            }
            for _ in 0..<2 * workers { add() }
            while let (index, result) = try await group.next() {
                switch result {
                case .success(let entry):
                    if let descriptor = entry.descriptor {
                        outcome.readings.append(
                            Reading(
                                photo: index, descriptor: descriptor, quality: Int(entry.quality)))
                    } else {
                        outcome.faceless.append(index)
                    }
                case .failure(let failure): outcome.unreadable.append((index, failure.message))
                }
                done += 1
                progress.update(done)
                add()
            }
        }
        outcome.readings.sort { $0.photo < $1.photo }
        outcome.faceless.sort()
        return outcome
    }

    /// Reads one photo. A photo that cannot be decoded is reported; a fault of the engine is fatal.
    private func entry(_ path: String) async throws -> Result<DescriptorCache.Entry, Failure> {
        let cache = cache
        return try await engine.run { analyzer, networks in
            let bytes: [UInt8]
            do { bytes = try ImageFile.read(path) } catch { return .failure(Failure(error)) }
            if let known = cache?.entry(for: bytes) { return .success(known) }
            let image: RGBImage
            do throws(ImageError) { image = try ImageDecoder.decode(bytes) } catch {
                return .failure(Failure(.badInput, error.code.rawValue, "\(path): \(error)"))
            }
            let entry: DescriptorCache.Entry
            if let face = try analyzer.analyze(image, with: networks).main {
                let description = try analyzer.describe(face, in: image, with: networks)
                let quality = analyzer.describer.quality(face.quality, with: description)
                entry = DescriptorCache.Entry(
                    descriptor: description.descriptor, quality: UInt8(quality.score))
            } else {
                entry = DescriptorCache.Entry(descriptor: nil, quality: 0)
            }
            cache?.keep(entry, for: bytes)
            return .success(entry)
        }
    }
}
