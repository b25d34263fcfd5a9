import ArgumentParser
import AsyncHTTPClient
import Belfry
import BelfryModel
import Foundation
import NIOPosix

/// Runs some devices of the demonstration's fleet in a process of their own, so that it can be killed (CLI-1). It reads
/// its orders from standard input and ends with it.
struct DemoPhonesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-phones", abstract: "Run some devices of a demonstration.", shouldDisplay: false
    )

    @Option var server: String
    @Option var pushControl: String
    @Option var applicationServerKey: String
    @Option var directory: String
    @Option var device: [Int]

    func run() async throws {
        guard let url = URLText.url(server) else { throw ValidationError("--server is not an address.") }
        let http = DemoWorld.http(devices: device.count)
        let network = NetworkSwitch(HTTPTransport(serverURL: url))
        let world = DemoWorld.make(
            server: url, control: SimulatorControl(address: pushControl, http: http, environment: .live),
            applicationServerKey: applicationServerKey, directory: URL(filePath: directory), transport: network
        )
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await obey(Fleet(indices: device, world: world), network))
        } catch {
            outcome = .failure(error)
        }
        try await http.shutdown()
        try outcome.get()
    }

    private func obey(_ fleet: Fleet, _ network: NetworkSwitch) async throws {
        for await line in Self.input() {
            let words = line.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            switch DemoPhones.Order(rawValue: words.first ?? "") {
            case .launch:
                try await fleet.each { device in
                    try await device.launch()
                    try await device.logIn()
                }
                for device in fleet.devices { Console.say("\(device.index) \(try await device.deviceID() ?? "")") }
            case .track:
                // The app goes to the background with an empty queue and then loses its network, so that the event
                // stays on the device.
                try await fleet.each { device in
                    try await device.leave()
                    try await device.report()
                }
                network.cutOff()
                try await fleet.each { device in
                    for event in words.dropFirst() { try await device.track(event) }
                }
            case nil: throw ValidationError("'\(line)' is no order.")
            }
            Console.say(DemoPhones.doneText)
        }
    }

    /// The lines of standard input. Reading blocks, so it has a thread of its own. It does not call `readLine`, which
    /// holds a lock that ``Console/say(_:)`` needs.
    private static func input() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                var rest = Data()
                while case let data = FileHandle.standardInput.availableData, !data.isEmpty {
                    rest += data
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest.removeSubrange(rest.startIndex...end)
                    }
                }
                continuation.finish()
            }
        }
    }
}
