import BelfryServices
import Foundation
import Hummingbird

/// The state of the server, for its operators (CON-10).
enum ServerPages {
    static let routes: [ConsoleRoute] = [
        .get(OperationsPlace.overview.path, .operators) { call in
            let desk = try OperationsDesk(call, .overview)
            let state = try await ServerState(call.services, version: call.settings.version)
            return .page(desk.page("operations", ServerModel(desk, state)))
        }
    ]
}
