import Foundation
import MienModels
import Testing

@Suite("Home")
struct MienHomeTests {
    @Test(
        "the home is MIEN_HOME, or else a folder in HOME; an empty value counts as unset",
        arguments: [
            (["MIEN_HOME": "/srv/mien", "HOME": "/home/ann"], "/srv/mien"),
            (["HOME": "/home/ann"], "/home/ann/.local/share/mien"),
            (["MIEN_HOME": "", "HOME": "/home/ann"], "/home/ann/.local/share/mien"),
        ])
    func folder(environment: [String: String], expected: String) {
        #expect(
            MienHome(environment: environment).folder.path(percentEncoded: false).trimmingSuffix(
                "/") == expected)
    }

    @Test("without HOME, the user's own home folder is used", arguments: [[:], ["HOME": ""]])
    func noHome(environment: [String: String]) {
        #expect(
            MienHome(environment: environment).folder.path.trimmingSuffix("/") == NSHomeDirectory()
                + "/.local/share/mien")
    }

    @Test("every kind of data has its folder")
    func places() {
        let home = MienHome(environment: ["MIEN_HOME": "/srv/mien"])
        let places = [home.packs, home.compiledNetworks, home.faces, home.demoPhotos].map {
            $0.path.trimmingSuffix("/")
        }
        #expect(
            places == [
                "/srv/mien/packs", "/srv/mien/cache/networks", "/srv/mien/faces",
                "/srv/mien/demo/photos",
            ])
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
