// One coordinator for each concern. Coordinators begin the steps of the device.
extension DeviceEngine {
    nonisolated var lifecycle: LifecycleCoordinator { LifecycleCoordinator(engine: self) }
    nonisolated var privacy: PrivacyCoordinator { PrivacyCoordinator(engine: self) }
    nonisolated var contact: ContactCoordinator { ContactCoordinator(engine: self) }
    nonisolated var push: PushCoordinator { PushCoordinator(engine: self) }
    nonisolated var badge: BadgeCoordinator { BadgeCoordinator(engine: self) }
    nonisolated var messageCenter: MessageCenterCoordinator { MessageCenterCoordinator(engine: self) }
    nonisolated var inApp: InAppCoordinator { InAppCoordinator(engine: self) }
}
