import Foundation
import Testing

/// A program of `Server/Tests/Foreign`: in another language, over libraries that other people wrote, which
/// `Scripts/setup` installs.
enum ForeignProgram {
    /// Where the libraries are; throws if they are not those that the tests are written for.
    static func libraries() throws -> URL {
        let folder = server.appending(path: ".build/python")
        let wanted = try Data(contentsOf: programs.appending(path: "requirements.txt"))
        guard let found = try? Data(contentsOf: folder.appending(path: "requirements.txt")), found == wanted else {
            throw ForeignLibrariesMissing(folder: folder.path)
        }
        return folder
    }

    /// Starts one; the caller must stop it.
    ///
    /// - Parameters:
    ///   - settings: its argument, as JSON in a file.
    ///   - trustRoots: a file of the authorities that it trusts instead of the system's.
    static func start(
        _ name: String, settings: [String: any Sendable] = [:], trustRoots: URL? = nil, in stage: Stage
    ) throws -> ProgramRun {
        let file = stage.folder.appending(path: "\(name)-settings.json")
        try JSONSerialization.data(withJSONObject: settings).write(to: file)
        var environment = ["PYTHONPATH": try libraries().path, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"]
        if let trustRoots {
            environment["SSL_CERT_FILE"] = trustRoots.path
            environment["REQUESTS_CA_BUNDLE"] = trustRoots.path
        }
        // No name of the machine's network settings takes a test's calls elsewhere.
        for variable in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            environment[variable] = ""
        }
        return try ProgramRun.start(
            ["python3", programs.appending(path: name).path, file.path], program: URL(filePath: "/usr/bin/env"),
            environment: environment, folder: stage.folder
        )
    }

    private static var programs: URL { server.appending(path: "Tests/Foreign") }

    private static var server: URL {
        var server = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<5 { server.deleteLastPathComponent() }
        return server
    }
}

extension ProgramRun {
    /// Runs to its end, and shows what it said if that was a failure.
    func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) async {
        var output: [String] = []
        for await line in lines { output.append(line) }
        let exit = await self.exit
        #expect(
            exit == .code(0), "\((output + [standardError]).joined(separator: "\n"))", sourceLocation: sourceLocation)
    }
}

struct ForeignLibrariesMissing: Error, CustomStringConvertible {
    let folder: String

    var description: String {
        "The push clients of other people's are not in \(folder), or in other versions: run Scripts/setup, which "
            + "installs them."
    }
}
