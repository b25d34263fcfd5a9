import BelfryModel
import BelfryStore

extension SQLConnection {
    /// An erased installation stays away: whatever it calls is answered with 410 (REG-36). It is asked for only where a
    /// device is missing, so that those that are there pay nothing for it.
    func refuseErased(_ client: DeviceID, app: AppRecord) throws {
        guard try erasedDevices.contains(client, app: app.id) else { return }
        throw ServiceError.gone(
            code: "erased", message: "This installation was erased: forget everything and send nothing more."
        )
    }
}

extension ClientService {
    /// Refuses a caller that was erased, where its token has failed already.
    package func refuseErased(_ caller: Caller) async throws {
        try await database.read { try $0.refuseErased(caller.client, app: caller.app) }
    }
}
