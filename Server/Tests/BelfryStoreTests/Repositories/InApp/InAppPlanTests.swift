import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// PERF-7: however many messages were downloaded, a sync that has something to do reads its own.
struct InAppPlanTests {
    @Test("PERF-7: a device's messages are found by keys, without a scan", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await store.write { connection in
            for _ in 1...20 { _ = try connection.makeInAppCampaign() }
            for _ in 1...200 { _ = try connection.makeCampaign(.completed, app: 1) }
            for number in 1...20 as ClosedRange<Int64> {
                try connection.inAppDeviceStates.save(
                    (1...200).map {
                        InAppDownload(
                            campaign: try campaign(number), device: $0, contact: $0, version: 1, epoch: 0,
                            at: storeEpoch
                        )
                    }
                )
            }
        }
        try await store.write { try $0.analyze(store.engine) }
        let (copies, reports, active) = try await store.read { connection in
            (
                try connection.plan(
                    of: InAppDeviceStateRepository.copiesSQL(connection.dialect),
                    [.integers([3, 4]), .integer(7 as Int64), .integer(7 as Int64)], engine
                ),
                [
                    try connection.plan(
                        of: InAppDeviceStateRepository.placesSQL(connection.dialect),
                        [.integers([3, 4]), .integer(7 as Int64), .integers([7, 8])], engine
                    ),
                    try connection.plan(
                        of: InAppDeviceStateRepository.knownButtonsSQL(connection.dialect),
                        [.integers([3, 4]), .integer(7 as Int64), .integer(7 as Int64), .text("other")], engine
                    ),
                ],
                try connection.plan(of: InAppCampaignRepository.activeSQL, [.integer(1 as Int64)], engine)
            )
        }
        for plan in [copies, active] + reports {
            #expect(
                !plan.contains("SCAN in_app") && !plan.contains("SCAN c") && !plan.contains("TEMP B-TREE"), "\(plan)")
            #expect(!plan.contains("Seq Scan"), "\(plan)")
        }
        let byKey = ["USING PRIMARY KEY (campaign_id=? AND device_id=? AND contact_id=?)", "in_app_copies_pkey"]
        let byDevice = "in_app_copies_by_device"
        #expect((byKey + [byDevice]).contains { copies.contains($0) }, "\(copies)")
        #expect(active.contains("campaigns_in_app"), "\(active)")
    }
}
