import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("SEC-2: what campaigns say is compiled by few at once")
struct PreviewLimitTests {
    /// Runs a test while so many previews are being made.
    private static func hold(
        _ callers: ArraySlice<AdminPrincipal>, _ limiter: PreviewLimiter, _ test: () async throws -> Void
    ) async throws {
        guard let caller = callers.first else { return try await test() }
        try await limiter.pass(caller) { try await hold(callers.dropFirst(), limiter, test) }
    }

    /// As many as may make previews at once, no one more than they may.
    private static func callers(_ console: TestConsole) async throws -> [AdminPrincipal] {
        var callers: [AdminPrincipal] = []
        for number in 0..<(PreviewLimiter.maximum / PreviewLimiter.maximumOfKey) {
            let user = try await console.services.users.create(
                name: "caller\(number)", displayName: nil, password: nil, isOperator: true, roles: [:]
            )
            let session = try await console.services.signIn.begin(for: user.id, agent: "test")
            callers += Array(repeating: session.user.principal(in: nil), count: PreviewLimiter.maximumOfKey)
        }
        return callers
    }

    @Test("SEC-2, CON-11: pages with previews come when too many are being made, and say so in the preview's place")
    func limited() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let composed = try #require(try await story.compose(marketer))
            let push = "\(CampaignStory.list)/\(composed)"
            let draft = CampaignDraft(
                name: "News", kind: .inApp, audience: .everyone,
                inApp: InAppDraft(
                    type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "Read me")
                )
            )
            let id = try await console.services.campaigns.drafts.create(draft, app: story.app).id
            let frame = "\(CampaignStory.list)/\(id)/page?part=inApp"
            // Two versions are compared there.
            let version = "\(push)/versions/1"
            #expect(try await marketer.get(push).text.contains("phone-screen"))
            #expect(try await marketer.get(frame).text.contains("Read me"))
            let callers = try await Self.callers(console)
            try await Self.hold(callers[...], console.services.previews) {
                let page = try await marketer.get(push)
                #expect(page.status == .ok && page.text.contains("Its content cannot be shown now."))
                #expect(!page.text.contains("phone-screen"))
                let busy = try await marketer.get(frame)
                #expect(busy.status == .ok && busy.text.contains("Try again in") && !busy.text.contains("Read me"))
                #expect(busy.headers[.contentSecurityPolicy]?.contains("sandbox") == true)
                #expect(try await marketer.get(version).status == .tooManyRequests)
            }
            #expect(try await marketer.get(version).status == .ok)
            #expect(try await marketer.get(push).text.contains("phone-screen"))
        }
    }

    @Test("CON-11, CON-12: while too many previews are made, a rehearsal is shown without its comparison, and says so")
    func rehearsal() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 3)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let campaign = "\(CampaignStory.list)/\(id)"
            let page = "\(campaign)/rehearsals"
            _ = try await marketer.submit(page)
            await RehearsalPageTests.worker(console).runUntilIdle()
            _ = try await marketer.submit(
                "\(campaign)/launch", ["version": try await marketer.get(campaign).hidden("version")]
            )
            await console.dispatcher.runUntilIdle()
            let callers = try await Self.callers(console)
            try await Self.hold(callers[...], console.services.previews) {
                let busy = try await marketer.get(page)
                #expect(busy.status == .ok && busy.text.contains("would reach 3 of 4 devices, at once."))
                #expect(busy.text.contains("It cannot be compared at this moment. The server runs only"))
                #expect(busy.text.contains("Try again in 1 second.") && busy.text.contains(">Compare</a>"))
                #expect(!busy.text.contains("admin key") && !busy.text.contains("ended as rehearsed"))
            }
            #expect(try await marketer.get(page).text.contains("All 4 devices ended as rehearsed."))
        }
    }

    @Test("SEC-8, CON-11: while too many previews are made, a refused restore or publish still says why it was refused")
    func versions() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let services = console.services
            let composed = try #require(try await story.compose(marketer))
            let restore = "\(CampaignStory.list)/\(composed)/versions/1/restore"
            var draft = CampaignDraft(
                name: "News", kind: .inApp, audience: .everyone,
                inApp: InAppDraft(
                    type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "One")
                )
            )
            let id = try await services.campaigns.drafts.create(draft, by: .key("root"), app: story.app).id
            _ = try await services.campaigns.life.launch(id, app: story.app)
            draft.inApp?.content.title = "Two"
            _ = try await services.campaignVersions.propose(draft, of: id, by: .key("root"), app: story.app)
            var change = AppSettingsChange()
            change.requiresApproval = .set(true)
            _ = try await services.apps.changeSettings(change, of: story.app)
            let publish = "\(CampaignStory.list)/\(id)/versions/2/publish"
            let callers = try await Self.callers(console)
            try await Self.hold(callers[...], services.previews) {
                for (form, reason) in [
                    (restore, "Somebody else has changed this draft"), (publish, "nobody has approved version 2"),
                ] {
                    let rejected = try await marketer.submit(form, ["present": "old"])
                    #expect(rejected.status == .conflict && rejected.text.contains(reason), "\(form)")
                    #expect(rejected.text.contains("It cannot be compared at this moment. The server runs only"))
                    #expect(!rejected.text.contains("They have the same content."))
                }
                let unknown = try await marketer.submit("\(CampaignStory.list)/\(id)/versions/9/publish")
                #expect(unknown.status == .notFound)
            }
            let compared = try await marketer.submit(publish)
            #expect(compared.status == .conflict && compared.text.contains("In-app message: content, title"))
        }
    }

    @Test("CON-11: what is counted for people while too much is counted is refused in words for people")
    func words() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let callers = try await Self.callers(console)
            try await Self.hold(callers[...], console.services.previews) {
                let rejected = try await marketer.submit("\(CampaignStory.list)/\(id)/dry-run")
                #expect(rejected.status == .tooManyRequests && !rejected.text.contains("admin key"))
                #expect(rejected.text.contains("The server runs only a few previews, counts and tests at a time"))
            }
        }
    }
}
