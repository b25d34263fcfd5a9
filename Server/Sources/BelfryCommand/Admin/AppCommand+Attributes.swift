import ArgumentParser
import BelfryWire

extension AppCommand {
    /// The schema of the app's attributes (REG-25).
    struct Attributes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the attributes that are defined for the app's contacts, by name."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String

        func run() async throws {
            let answer: AttributeListAnswer = try await admin.withClient { client in
                try await client.get("/api/v1/apps/\(app.pathSegment)/attributes")
            }
            try admin.show(answer) { answer in
                var table = TextTable("KEY", "TYPE")
                for attribute in answer.attributes { table.add(attribute.key, attribute.type.rawValue) }
                return table.text
            }
        }
    }
}
