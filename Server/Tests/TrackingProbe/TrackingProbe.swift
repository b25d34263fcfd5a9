import Belfry
import BelfryModel
import Foundation

/// An app in a process of its own, to be killed: it tracks numbered events and says each number once `track` has
/// returned. It uploads meanwhile, and continues until it is killed.
///
/// Arguments: the directory of its storage, the server's address, the name of the run, and how many events it tracks.
@main
struct TrackingProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let server = URL(string: arguments[2]), let count = Int(arguments[4]) else {
            say("Usage: TrackingProbe DIRECTORY SERVER RUN COUNT")
            exit(64)
        }
        let directory = URL(filePath: arguments[1], directoryHint: .isDirectory)
        let configuration = try BelfryConfiguration(appCode: "shop", serverURL: server, directory: directory)
        let client = try BelfryClient(
            configuration: configuration, platform: HeadlessPlatform(system: .current(appVersion: "1.0"))
        )
        try await client.start()
        let device = try await client.state().deviceId
        say("device \(device)")
        for number in stride(from: 1, through: count, by: 1) {
            try await client.track("\(arguments[3])-\(number)")
            say("\(number)")
        }
        try await client.flush()
        // Nobody stops it: the reports end only with the process.
        for await _ in client.reports {}
    }

    /// Past every buffer: what was said is out when the process dies.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
