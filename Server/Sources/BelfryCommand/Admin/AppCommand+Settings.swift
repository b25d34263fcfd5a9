import ArgumentParser
import BelfryModel
import BelfryWire
import Foundation

extension AppCommand {
    struct Settings: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show an app's settings, or change some of them.",
            discussion: """
                Without options it shows the settings in force, defaults included. A setting that is named is replaced \
                whole, the others stay. What --json prints may be edited and given to --set-file again.
                """
        )

        @OptionGroup var admin: AdminOptions
        @OptionGroup(title: "Settings") var settings: SettingOptions
        @Argument(help: "The app's code.")
        var app: String
        @Option(
            help: "A file with settings in JSON; null puts one back to its default, '-' is standard input.",
            completion: .file()
        )
        var setFile: String?

        func validate() throws {
            guard setFile == nil || settings.isEmpty else {
                throw ValidationError("Give --set-file or single settings, not both.")
            }
        }

        func run() async throws {
            let answer = try await admin.withClient { client in try await inForce(client) }
            try admin.show(answer) { $0.table.text }
        }

        /// The settings after the change, if there is one.
        private func inForce(_ client: AdminClient) async throws -> AppSettingsAnswer {
            let path = "/api/v1/apps/\(app.pathSegment)/settings"
            if let setFile {
                return try await client.send(.put, path, json: try InputFile(setFile, option: "--set-file").json())
            }
            guard !settings.isEmpty else { return try await client.get(path) }
            let keys = try settings.publicKeys()
            var provider: OpenIDSettings?
            if settings.namesProvider {
                provider = try await client.get(path, as: AppSettingsAnswer.self).openID
            }
            return try await client.send(.put, path, try settings.change(of: provider, keys: keys))
        }
    }
}
