import BelfryBrowser
import Foundation
import Testing

@testable import BelfryCommand

@Suite("The browser SDKs of former versions")
struct BrowserArchiveTests {
    private static let first = BrowserSDK(version: "1.0.0", sources: ["belfry.js": [1], "belfry-worker.js": [2]])
    private static let second = BrowserSDK(version: "1.1.0", sources: ["belfry.js": [3]])

    @Test("WEB-1: what a version served is served after an upgrade")
    func upgrade() async throws {
        try await withStage { stage in
            let archive = BrowserArchive(folder: stage.folder.appending(path: "sdk"))
            #expect(archive.others(than: "1.0.0").isEmpty)
            try archive.keep(Self.first)
            #expect(archive.others(than: "1.0.0").isEmpty)
            try archive.keep(Self.second)
            try archive.keep(Self.second)
            let former = try #require(archive.others(than: "1.1.0").first)
            #expect(former.version == "1.0.0" && former.files == Self.first.files)
        }
    }

    @Test("WEB-1: files that are not of the SDK, drafts and large ones are not served")
    func otherFiles() async throws {
        try await withStage { stage in
            let folder = stage.folder.appending(path: "sdk")
            let archive = BrowserArchive(folder: folder)
            try archive.keep(Self.first)
            for name in [".belfry.js.new", "a b.js", String(repeating: "x", count: 65)] {
                try Data([9]).write(to: folder.appending(path: "1.0.0/\(name)"))
                try FileManager.default.createDirectory(
                    at: folder.appending(path: "\(name)-version"), withIntermediateDirectories: true)
            }
            try Data(count: BrowserArchive.maximumFile + 1).write(to: folder.appending(path: "1.0.0/large.js"))
            let found = archive.others(than: "2.0.0")
            #expect(found.map(\.version) == ["1.0.0"])
            #expect(found.first?.files.map(\.name) == ["belfry-worker.js", "belfry.js"])
        }
    }

    @Test("WEB-1: of many former versions the newest by number are served, and no more than fit")
    func newest() async throws {
        try await withStage { stage in
            let archive = BrowserArchive(folder: stage.folder.appending(path: "sdk"))
            for version in ["1.9.0", "1.10.0", "1.10.0-rc.2", "1.10.0-rc.10", "0.12.0"] {
                try archive.keep(BrowserSDK(version: version, sources: ["belfry.js": [1, 2, 3, 4]]))
            }
            // Neither has what a page imports.
            try archive.keep(BrowserSDK(version: "1.11.0", sources: ["belfry-worker.js": [1]]))
            try archive.keep(BrowserSDK(version: "latest", sources: ["belfry.js": [1]]))
            let all = ["1.10.0", "1.10.0-rc.10", "1.10.0-rc.2", "1.9.0", "0.12.0"]
            #expect(archive.others(than: "2.0.0").map(\.version) == all)
            #expect(archive.others(than: "1.10.0").map(\.version) == Array(all.dropFirst()))
            #expect(archive.others(than: "2.0.0", bytes: 11).map(\.version) == Array(all.prefix(2)))
        }
    }

    @Test("WEB-1: more than a hundred former versions are the newest hundred, by number")
    func bounded() async throws {
        try await withStage { stage in
            let archive = BrowserArchive(folder: stage.folder.appending(path: "sdk"))
            for minor in 0..<105 {
                try archive.keep(BrowserSDK(version: "1.\(minor).0", sources: ["belfry.js": [1]]))
            }
            let found = archive.others(than: "1.104.0").map(\.version)
            #expect(found == (4..<104).reversed().map { "1.\($0).0" })
        }
    }
}

@Suite("Versions by number")
struct VersionNumberTests {
    @Test("WEB-1: versions have the order of Semantic Versioning, and what is none has no number")
    func order() throws {
        // Its own example, and numbers that no integer holds.
        let ordered = [
            "0.9.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
            "1.0.0-rc.1", "1.0.0", "1.9.0", "1.10.0", "2.0.0", "18446744073709551616.0.0", "18446744073709551617.0.0",
        ]
        let numbers = try ordered.map { try #require(VersionNumber($0)) }
        #expect(numbers.reversed().sorted().map(\.text) == ordered)
        for text in ["", "-1", "1.", ".1", "1..0", "latest", "1.x.0", "1.0.0-"] {
            #expect(VersionNumber(text) == nil, "\(text)")
        }
    }
}
