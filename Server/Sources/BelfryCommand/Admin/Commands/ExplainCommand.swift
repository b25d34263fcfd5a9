import ArgumentParser
import BelfryAPI

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain why a device did or did not get a campaign."
    )

    @OptionGroup var admin: AdminOptions
    @Argument var app: String
    @Option(help: "The campaign's id.")
    var campaign: String
    @Option(help: "The device's id.")
    var device: String

    func run() async throws {
        let query = "campaign=\(campaign.pathSegment)&device=\(device.pathSegment)"
        let answer: ExplainResponse = try await admin.withClient { client in
            try await client.call(DeviceRoutes.explain, app, query: query)
        }
        try admin.show(answer, Self.text)
    }

    static func text(_ answer: ExplainResponse) -> String {
        let heading = answer.reason.map { "\(answer.state) (\($0))" } ?? answer.state
        let steps = answer.history.map { "  \($0.at)  \($0.what)" + ($0.detail.map { ": \($0.printable)" } ?? "") }
        return ([heading, answer.sentence] + steps).joined(separator: "\n")
    }
}
