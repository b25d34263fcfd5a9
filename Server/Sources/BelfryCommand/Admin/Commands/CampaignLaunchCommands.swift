import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation

struct CampaignLaunchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "Launch a draft. It is sent at once, or according to its schedule."
    )

    @OptionGroup var target: CampaignTarget
    @Flag(help: "Follow its progress, like 'campaign watch'.")
    var wait = false

    func run() async throws {
        guard wait else { return try await target.change(CampaignRoutes.launchCampaign) }
        try await target.admin.withClient { client in
            _ = try await client.call(CampaignRoutes.launchCampaign, target.app, target.id)
            try await target.watch(client)
        }
    }
}

struct CampaignWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow a campaign until it ends or pauses, then show its figures.",
        discussion: """
            Progress goes to standard error: as a bar on a terminal, otherwise as a line for every 10 %. The exit \
            code is 0 when the campaign is completed, and 1 when it stopped earlier. Interrupting the command does \
            not affect the campaign.
            """
    )

    @OptionGroup var target: CampaignTarget

    func run() async throws {
        try await target.admin.withClient { client in try await target.watch(client) }
    }
}

extension CampaignTarget {
    /// Follows the campaign's progress, shows its figures, and throws when it stopped before its end.
    fileprivate func watch(_ client: AdminClient) async throws {
        let answer = try await CampaignWatch(
            read: { try await client.call(CampaignRoutes.readCampaign, app, id) },
            rest: { try await Task.sleep(for: CampaignWatch.interval) }
        ).run(on: .standardError)
        try admin.show(answer) { $0.text }
        if let stop = CampaignStop(answer) { throw stop }
    }
}

/// The error for a followed campaign that stopped before its end.
struct CampaignStop: Error, CustomStringConvertible {
    let description: String

    /// Returns nil for a campaign that is complete or still continues.
    init?(_ answer: CampaignResponse) {
        switch answer.status {
        case .completed, .active, .scheduled, .sending:
            return nil
        case .draft:
            description = "Campaign \(answer.id) is a draft. Launch it first."
        case .paused, .cancelled:
            let reason = answer.statusReason.map { " \($0.printable)" } ?? ""
            description = "Campaign \(answer.id) is \(answer.status.rawValue).\(reason)"
        }
    }
}
