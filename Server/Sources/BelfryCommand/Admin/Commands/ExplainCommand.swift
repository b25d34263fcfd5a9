import ArgumentParser
import BelfryAPI
import BelfryModel
import Foundation

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain why a device or a person did or did not get a campaign."
    )

    @OptionGroup var admin: AdminOptions
    @Argument var app: String
    @Option(help: "The campaign's id.")
    var campaign: String
    @Option(help: "The device's id.")
    var device: String?
    @Option(help: "The contact's key: every device and the message center are explained.")
    var contact: String?
    @Option(help: "The number of the contact's party identifier, instead of its key.")
    var partyNumber: String?
    @Option(help: "With --party-number: and this type.")
    var partyType: String?
    @Option(help: "With --party-number: and this name.")
    var partyName: String?
    @Option(help: "With --device: which of several installations with this id, by its number.")
    var installation: Int64?

    func validate() throws {
        guard [device, contact, partyNumber].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Use one of --device, --contact and --party-number.")
        }
        guard partyNumber != nil || (partyType == nil && partyName == nil) else {
            throw ValidationError("Give --party-number, too.")
        }
        guard installation == nil || device != nil else { throw ValidationError("Use --installation with --device.") }
    }

    func run() async throws {
        let parts = [
            ("campaign", campaign), ("device", device), ("contact", contact), ("partyNumber", partyNumber),
            ("partyType", partyType), ("partyName", partyName), ("installation", installation.map { String($0) }),
        ]
        let query = parts.compactMap { name, value in value.map { "\(name)=\($0.pathSegment)" } }.joined(separator: "&")
        let answer: ExplainResponse = try await admin.withClient { client in
            try await client.call(DeviceRoutes.explain, app, query: query)
        }
        try admin.show(answer, Self.text)
    }

    static func text(_ answer: ExplainResponse) -> String {
        guard let devices = answer.devices else {
            let lines = heading(answer.state, answer.reason) + [answer.sentence] + parts(answer.audience)
            return (lines + steps(answer.history)).joined(separator: "\n")
        }
        var lines = heading(answer.state, answer.reason)
        if devices.isEmpty {
            lines.append(answer.sentence)
        } else if let center = answer.messageCenter {
            lines.append(center.sentence)
        }
        for device in devices {
            let owner = device.isPresent ? "" : ", which the contact had then"
            lines += ["", "Device \(device.deviceId.printable)\(owner): " + state(device.state, device.reason)]
            lines += [device.sentence] + parts(device.audience) + steps(device.history)
        }
        if let omission = answer.omission { lines += ["", omission] }
        return lines.joined(separator: "\n")
    }

    private static func heading(_ word: String, _ reason: String?) -> [String] { [state(word, reason)] }

    private static func state(_ word: String, _ reason: String?) -> String {
        reason.map { "\(word) (\($0))" } ?? word
    }

    /// The parts of the audience's condition, each with whether the device meets it.
    private static func parts(_ audience: [ExplainResponse.Part]?) -> [String] {
        (audience ?? []).map { part in
            let result = part.holds.map { $0 ? "holds now" : "does not hold now" } ?? "not known"
            return "  \(result): \(json(part.condition).printable)"
        }
    }

    /// A condition as JSON, as it is written in a campaign's audience.
    private static func json(_ condition: Condition) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A condition that was decoded from a response can always be encoded again.
        return (try? encoder.encode(condition)).map { String(decoding: $0, as: UTF8.self) } ?? "a condition"
    }

    private static func steps(_ history: [ExplainResponse.Step]) -> [String] {
        history.map { "  \($0.at)  \($0.what)" + ($0.detail.map { ": \($0.printable)" } ?? "") }
    }
}
