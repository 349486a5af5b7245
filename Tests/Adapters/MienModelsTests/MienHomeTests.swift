import Foundation
import MienModels
import Testing

@Suite("Home")
struct MienHomeTests {
    @Test(
        "MIEN_HOME is it, else a folder of HOME; an empty word counts as none",
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

    @Test("without HOME it is the user's own", arguments: [[:], ["HOME": ""]])
    func noHome(environment: [String: String]) {
        #expect(
            MienHome(environment: environment).folder.path.trimmingSuffix("/") == NSHomeDirectory()
                + "/.local/share/mien")
    }

    @Test("everything has its place in it")
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
