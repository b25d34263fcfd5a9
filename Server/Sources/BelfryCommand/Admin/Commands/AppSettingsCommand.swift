import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation

struct AppSettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Show an app's settings, or change some of them.",
        discussion: """
            Without options it shows the settings in effect, with defaults. A setting that you give is replaced as \
            a whole; the others do not change. You can edit the output of --json and give it to --set-file.
            """
    )

    @OptionGroup var admin: AdminOptions
    @OptionGroup(title: "Settings") var settings: SettingOptions
    @Argument(help: "The app's code.")
    var app: String
    @Option(
        help: "A JSON file with settings. null resets a setting to its default. '-' is standard input.",
        completion: .file()
    )
    var setFile: String?

    func validate() throws {
        guard setFile == nil || settings.isEmpty else {
            throw ValidationError("Use --set-file or single settings, not both.")
        }
    }

    func run() async throws {
        let response = try await admin.withClient { client in try await inForce(client) }
        try admin.show(response) { $0.table.text }
    }

    /// Changes the settings if there is a change, and returns the settings in force.
    private func inForce(_ client: AdminClient) async throws -> AppSettingsResponse {
        if let setFile {
            let json = try InputFile(setFile, option: "--set-file").json()
            return try await client.call(SettingsRoutes.changeSettings, app, json: json)
        }
        guard !settings.isEmpty else { return try await client.call(SettingsRoutes.readSettings, app) }
        let keys = try settings.publicKeys()
        var provider: OpenIDSettings?
        if settings.namesProvider {
            provider = try await client.call(SettingsRoutes.readSettings, app).openID
        }
        let change = try settings.change(of: provider, keys: keys)
        return try await client.call(SettingsRoutes.changeSettings, app, body: change)
    }
}
