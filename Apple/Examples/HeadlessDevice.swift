import Belfry
import Foundation

/// A device without a screen receives a push and opens it: the real SDK with a real server, in a test or a tool.
///
/// - Returns: the client's state afterwards, as JSON.
func openAPush(server: URL, directory: URL) async throws -> String {
    let platform = HeadlessPlatform(system: .current(appVersion: "1.0", deviceModel: "test"))
    platform.setPushPermission(.granted)
    let client = try BelfryClient(
        configuration: BelfryConfiguration(appCode: "shop", serverURL: server, directory: directory),
        platform: platform
    )
    try await client.start()
    try await client.setPushToken("0abcff", environment: .sandbox, provider: .apns)
    // The payload as a push service delivers it; the simulator returns it in this form.
    let payload = #"{"aps":{"alert":{"title":"Hello","body":"World"}},"belfry":{"sid":"S-1"}}"#
    let push = ReceivedPush(json: Data(payload.utf8))
    try await client.handlePush(push)
    try await client.pushDisplayed(push)
    try await client.pushOpened(push)
    try await client.flush()
    let state = try await client.state().json
    await client.stop()
    return state
}
