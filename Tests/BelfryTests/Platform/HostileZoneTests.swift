import BelfryModel
import Testing

@testable import Belfry

struct HostileZoneTests {
    @Test(
        "SEC-6, IAM-6: an invalid zone of the device stops nothing: messages are shown by the days of UTC",
        arguments: ["GMT+01:Z0", "UTC+01:Z0", "GMT+0\u{301}1:30", "", "Mars/Phobos"])
    func inApp(zone: String) async throws {
        let world = try World()
        world.setSystem { $0.timeZone = zone }
        let client = try await world.startInApp()
        await world.server.publish { $0.content = #"{"title":"Hi"}"# }
        try await client.handlePush(inAppPush("S-1"))
        await client.waitUntilIdle()
        try await world.track("cart:add")
        #expect(world.screen.onScreen?.message.content.title == "Hi")
        await world.kill()
    }
}
