import ArgumentParser
import BelfryAPI
import BelfryWire
import Foundation

struct AudienceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience", abstract: "Try an audience before you create a campaign for it.",
        subcommands: [Count.self]
    )

    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count the devices in an audience. Nothing is saved or sent."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(
            help: "The audience: a predicate in JSON, or a file with one. '-' is standard input.", completion: .file()
        )
        var predicate: String

        func validate() throws {
            guard !predicate.isEmpty else { throw ValidationError("The predicate is empty.") }
            guard isJSON else { return }
            do {
                try JSONInput.check(Array(predicate.utf8))
            } catch {
                throw ValidationError("The predicate \(error).")
            }
        }

        func run() async throws {
            let body = try body()
            let answer: AudienceCountResponse = try await admin.withClient { client in
                try await client.call(CampaignRoutes.countAudience, app, json: body)
            }
            try admin.show(answer) { "The audience has \(Quantity.text($0.devices, "device")) now." }
        }

        /// The predicate goes out as it was written: what this version does not know is refused, not left out.
        private func body() throws -> Data {
            var text = JSONWriter()
            text.literal("{")
            text.key("audience")
            text.raw(try isJSON ? Data(predicate.utf8) : InputFile(predicate, option: nil).json())
            text.literal("}")
            return Data(text.bytes)
        }

        /// A predicate is an object; no file that anybody names begins so.
        private var isJSON: Bool { predicate.drop(while: \.isWhitespace).first == "{" }
    }
}
