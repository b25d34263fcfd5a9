import BelfryModel
import BelfryWire

/// Follows a campaign for as long as it goes on by itself.
struct CampaignWatch {
    /// Between two looks.
    static let interval: Duration = .seconds(1)

    /// Asks the server where the campaign stands.
    let read: () async throws -> CampaignAnswer
    /// Waits between two looks.
    let rest: () async throws -> Void

    /// - Returns: where it stands in the end.
    func run(on display: ProgressDisplay) async throws -> CampaignAnswer {
        var display = display
        while true {
            let answer = try await read()
            let progress = CampaignProgress(answer)
            display.show(progress)
            guard progress.goesOn else {
                display.end()
                return answer
            }
            try await rest()
        }
    }
}
