import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Synchronization
import Testing

@testable import BelfryConsole

/// What happens between two looks of a live page, once; after that nobody looks any more.
final class BetweenLooks: Sendable {
    private let step = Mutex<(@Sendable () async -> Void)?>(nil)

    func happens(_ step: @escaping @Sendable () async -> Void) {
        self.step.withLock { $0 = step }
    }

    func wait() async throws {
        guard let step = self.step.withLock({ $0.take() }) else { throw CancellationError() }
        await step()
    }
}

@Suite("What a live page is told")
struct LiveNewsTests {
    @Test("CON-2, CON-7: a live page is told of a part when it has changed: the buttons stay while the figures go on")
    func onlyNews() async throws {
        let looks = BetweenLooks()
        try await TestConsole.run(wait: looks.wait) { console in
            let story = try await CampaignStory(console, devices: 3)
            let marketer = try await story.person(.marketer)
            let draft = CampaignDraft(
                name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B"),
                schedule: CampaignSchedule(ratePerSecond: 1)
            )
            let id = try await console.services.campaigns.drafts.create(draft, app: story.app).id
            _ = try await console.services.campaigns.life.launch(id, app: story.app)
            // The clock stands still: one message leaves.
            looks.happens { await console.dispatcher.runUntilIdle() }
            let stream = try await marketer.get("\(CampaignStory.list)/\(id)/live").text
            func times(_ part: String) -> Int { stream.components(separatedBy: "event: \(part)\n").count - 1 }
            #expect(times("figures") == 2 && times("hours") == 2, "\(stream)")
            #expect(times("state") == 1 && times("end") == 0, "\(stream)")
        }
    }

    @Test("CON-7, CAMP-5: a page that is open when the time comes says what a resume does then, not what it did before")
    func timeComes() async throws {
        let looks = BetweenLooks()
        try await TestConsole.run(wait: looks.wait) { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let draft = CampaignDraft(
                name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B"),
                schedule: CampaignSchedule(at: console.clock.now.addingTimeInterval(60))
            )
            let (life, app) = (console.services.campaigns.life, story.app)
            let id = try await console.services.campaigns.drafts.create(draft, app: app).id
            _ = try await life.launch(id, app: app)
            looks.happens {
                console.clock.advance(by: 600)
                _ = try? await life.pause(id, app: app)
            }
            let stream = try await marketer.get("\(CampaignStory.list)/\(id)/live").text
            #expect(stream.contains("is past: resumed now, it is sent to its whole audience at once."), "\(stream)")
            #expect(
                stream.contains(">Resume and send now</button>") && !stream.contains(">Resume</button>"), "\(stream)")
        }
    }
}
