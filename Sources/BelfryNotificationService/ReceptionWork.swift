import Belfry
import Foundation

/// The two things that an extension does while the system waits: it fetches the image and reports the push, side by
/// side. Neither outlasts its own time.
struct ReceptionWork: Sendable {
    let decision: ReceptionDecision
    let settings: NotificationServiceSettings
    /// Fetches an image by its address.
    let fetchImage: @Sendable (String) async -> Data?
    let transport: @Sendable (URL) -> any Transport
    /// Returns after so many seconds, and at once when its task is cancelled.
    let pause: @Sendable (TimeInterval) async -> Void

    /// - Returns: the image, if there is one; it returns when both are done or their time is over.
    func run() async -> Data? {
        async let isReported: Void = report()
        let image = await fetched()
        await isReported
        return image
    }

    private func fetched() async -> Data? {
        guard let address = decision.image else { return nil }
        return await within(settings.imageTimeout) { await fetchImage(address) }
    }

    private func report() async {
        guard let report = decision.report, settings.reportTimeout > 0 else { return }
        _ = await within(settings.reportTimeout) { await report.send(by: transport(report.access.serverURL)) }
    }

    private func within<Output: Sendable>(
        _ seconds: TimeInterval, _ work: @escaping @Sendable () async -> Output?
    ) async -> Output? {
        await withTaskGroup(of: Output?.self) { group in
            group.addTask { await work() }
            group.addTask {
                await pause(seconds)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
