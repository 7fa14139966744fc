package dev.millrace.subscriber.catalog;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A {@link SlotIntent} as it is stored. */
@Entity
@Table(name = "slot_intent")
class SlotIntentRow {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  Long id;

  int subid;
  int relid;

  @Column(name = "slot_name")
  String slotName;

  String conninfo;
  String action;

  protected SlotIntentRow() {}

  SlotIntentRow(int subid, int relid, String slotName, String conninfo, SlotIntent.Action action) {
    this.subid = subid;
    this.relid = relid;
    this.slotName = slotName;
    this.conninfo = conninfo;
    this.action = action.name();
  }

  SlotIntent toIntent() {
    return new SlotIntent(id, subid, relid, slotName, conninfo, SlotIntent.Action.valueOf(action));
  }
}
