package dev.millrace.subscriber.catalog;

import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.Objects;

/** A row of pg_subscription_rel. */
@Entity
@Table(name = "subscription_relation")
class SubscribedRelationRow {

  @EmbeddedId Key key;
  String srsubstate;
  long srsublsn;

  protected SubscribedRelationRow() {}

  SubscribedRelationRow(int subscriptionOid, int relationOid, RelationState state, long lsn) {
    key = new Key(subscriptionOid, relationOid);
    srsubstate = String.valueOf(state.code());
    srsublsn = lsn;
  }

  RelationState state() {
    return RelationState.of(srsubstate.charAt(0));
  }

  /** Subscription and table. */
  @Embeddable
  static class Key implements Serializable {
    int srsubid;
    int srrelid;

    protected Key() {}

    Key(int srsubid, int srrelid) {
      this.srsubid = srsubid;
      this.srrelid = srrelid;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.srsubid == srsubid && key.srrelid == srrelid;
    }

    @Override
    public int hashCode() {
      return Objects.hash(srsubid, srrelid);
    }
  }
}
