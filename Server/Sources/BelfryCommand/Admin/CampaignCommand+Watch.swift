import ArgumentParser
import BelfryModel
import BelfryWire
import Foundation

extension CampaignCommand {
    struct Launch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Launch a draft: it is sent at once, or when its schedule says."
        )

        @OptionGroup var target: Target
        @Flag(help: "Follow it, as 'campaign watch' does.")
        var wait = false

        func run() async throws {
            guard wait else { return try await target.change("launch") }
            try await target.admin.withClient { client in
                let _: CampaignStatusAnswer = try await client.send(.post, "\(target.path)/launch", String?.none)
                try await target.watch(client)
            }
        }
    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Follow a campaign until it is neither scheduled nor sending, then show its figures.",
            discussion: """
                Until then standard error tells how far it is: by a bar on a terminal, else by a line for each tenth. \
                The exit code is 0 when the campaign is completed, 1 when it stopped before. To end the command does \
                nothing to the campaign.
                """
        )

        @OptionGroup var target: Target

        func run() async throws {
            try await target.admin.withClient { client in try await target.watch(client) }
        }
    }
}

extension CampaignCommand.Target {
    /// Follows the campaign, shows its figures, and throws when it stopped before its end.
    fileprivate func watch(_ client: AdminClient) async throws {
        let answer = try await CampaignWatch(
            read: { try await client.get(path) }, rest: { try await Task.sleep(for: CampaignWatch.interval) }
        ).run(on: .standardError)
        try admin.show(answer) { $0.text }
        if let stop = CampaignStop(answer) { throw stop }
    }
}

/// A campaign that was followed and has not been sent to its end.
struct CampaignStop: Error, CustomStringConvertible {
    let description: String

    /// Nil when there is nothing left to wait for.
    init?(_ answer: CampaignAnswer) {
        switch answer.status {
        case .completed, .active, .scheduled, .sending:
            return nil
        case .draft:
            description = "Campaign \(answer.id) is a draft: launch it first."
        case .paused, .cancelled:
            let reason = answer.statusReason.map { " \($0.printable)" } ?? ""
            description = "Campaign \(answer.id) is \(answer.status.rawValue).\(reason)"
        }
    }
}
