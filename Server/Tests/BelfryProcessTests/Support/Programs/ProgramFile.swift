import Foundation

/// Where the programs that were built with these tests are.
enum ProgramFile {
    static func locate(_ name: String = "belfry") throws -> URL {
        let places = candidates.map { $0.appending(path: name) }
        guard let found = places.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw ProgramMissing(name: name, places: places.map(\.path))
        }
        return found
    }

    /// SwiftPM puts the program beside the tests: an executable on Linux, a bundle on macOS.
    private static var candidates: [URL] {
        var folders = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }
            .map { $0.bundleURL.deletingLastPathComponent() }
        if let executable = Bundle.main.executableURL {
            folders.append(executable.resolvingSymlinksInPath().deletingLastPathComponent())
        }
        if let argument = CommandLine.arguments.first {
            folders.append(URL(filePath: argument).resolvingSymlinksInPath().deletingLastPathComponent())
        }
        return folders
    }
}

struct ProgramMissing: Error, CustomStringConvertible {
    let name: String
    let places: [String]

    var description: String {
        "These tests run the real program, which is not there: 'swift build --product \(name)' makes it. Looked at "
            + places.joined(separator: ", ") + "."
    }
}
