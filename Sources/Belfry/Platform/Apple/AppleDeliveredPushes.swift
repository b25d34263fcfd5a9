#if canImport(UserNotifications) && !os(tvOS)
    import UserNotifications

    /// The list of notifications that the system has shown for this app.
    struct AppleDeliveredPushes: DeliveredPushes {
        func pushes() async -> [ReceivedPush] {
            await UNUserNotificationCenter.current().deliveredNotifications().compactMap { ReceivedPush($0) }
        }

        func removePushes() async {
            let center = UNUserNotificationCenter.current()
            let ours = await center.deliveredNotifications()
                .filter { ReceivedPush($0) != nil }
                .map(\.request.identifier)
            center.removeDeliveredNotifications(withIdentifiers: ours)
        }

        func removeAll() async {
            UNUserNotificationCenter.current().removeAllDeliveredNotifications()
        }
    }
#endif
