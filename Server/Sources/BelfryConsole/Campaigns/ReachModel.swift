import BelfryModel
import BelfryServerModel
import BelfryServices

/// The number of devices in an audience now, or why they cannot be counted.
struct ReachModel: Sendable {
    let reached: String?
    let unreached: String?

    init(_ audience: Condition, _ call: ConsoleCall, app: AppService.App) async throws {
        do {
            let devices = try await call.services.previews.pass(try call.principal()) {
                try await call.services.campaigns.audiences.recentCount(audience, app: app)
            }
            reached = Self.sentence(devices)
            unreached = nil
        } catch let error as ServiceError {
            reached = nil
            unreached = ErrorPage(error).sentence
        }
    }

    init(unreached: String) {
        reached = nil
        self.unreached = unreached
    }

    static func sentence(_ devices: Int) -> String {
        devices == 0
            ? "No device is in this audience now."
            : "\(Figures.count(devices, "device is", "devices are")) in this audience now."
    }
}
