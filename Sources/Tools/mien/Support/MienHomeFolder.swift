import Foundation
import MienModels
import MienVault

/// The home folder of this process.
enum MienHomeFolder {
    static var current: MienHome { MienHome(environment: ProcessInfo.processInfo.environment) }
}

extension MienHome {
    /// The people enrolled on this machine.
    func openStore() throws -> LocalFaceStore {
        try LocalFaceStore.open(
            folder: faces.path, keyPath: folder.appending(path: "faces.key").path)
    }
}
