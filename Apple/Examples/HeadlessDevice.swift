import Belfry
import Foundation

/// A device without a screen gets a push and opens it: the real SDK against a real server, in a test or a tool.
///
/// - Returns: where the client stands afterwards, as JSON.
func openAPush(server: URL, directory: URL) async throws -> String {
    let platform = HeadlessPlatform(system: .current(appVersion: "1.0", deviceModel: "test"))
    platform.setPushPermission(.granted)
    let client = try BelfryClient(
        configuration: BelfryConfiguration(appCode: "shop", serverURL: server, directory: directory),
        platform: platform
    )
    try await client.start()
    try await client.setPushToken("0abcff", environment: .sandbox, provider: .apns)
    // What a push service delivers, as the simulated one gives it out.
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
