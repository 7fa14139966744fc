package dev.millrace.subscriber.catalog;

import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OrderColumn;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A row of pg_subscription; columns are named as PostgreSQL names them. */
@Entity
@Table(name = "subscription")
class SubscriptionRow {

  @Id Integer oid;
  String subname;
  int subowner;
  boolean subenabled;
  String subconninfo;
  String subslotname;
  boolean subbinary;
  String substream;
  String subtwophasestate;
  boolean subdisableonerr;
  boolean subpasswordrequired;
  boolean subrunasowner;
  boolean subfailover;
  String subsynccommit;
  String suborigin;
  long subskiplsn;
  String errormessage;
  Instant errortime;
  long errorlsn;

  @ElementCollection(fetch = FetchType.EAGER)
  @CollectionTable(name = "subscription_publication", joinColumns = @JoinColumn(name = "subid"))
  @OrderColumn(name = "ordinal")
  @Column(name = "pubname")
  List<String> publications = new ArrayList<>();

  protected SubscriptionRow() {}

  SubscriptionRow(Subscription subscription) {
    oid = subscription.oid();
    set(subscription);
  }

  /** Takes over everything but the OID. */
  void set(Subscription subscription) {
    subname = subscription.name();
    subowner = subscription.owner();
    subenabled = subscription.enabled();
    subconninfo = subscription.connection();
    subslotname = subscription.slotName();
    subbinary = subscription.binary();
    substream = String.valueOf(subscription.streaming());
    subtwophasestate = String.valueOf(subscription.twoPhaseState());
    subdisableonerr = subscription.disableOnError();
    subpasswordrequired = subscription.passwordRequired();
    subrunasowner = subscription.runAsOwner();
    subfailover = subscription.failover();
    subsynccommit = subscription.synchronousCommit();
    suborigin = subscription.origin();
    if (subenabled) {
      disabledBy(null);
    }
    subskiplsn = subscription.skipLsn();
    if (!publications.equals(subscription.publications())) {
      publications.clear();
      publications.addAll(subscription.publications());
    }
  }

  /** {@code null}: by no error. */
  void disabledBy(SubscriptionError error) {
    errormessage = error == null ? null : error.message();
    errortime = error == null ? null : error.time();
    errorlsn = error == null ? 0 : error.lsn();
  }

  SubscriptionError error() {
    return errormessage == null ? null : new SubscriptionError(errormessage, errortime, errorlsn);
  }

  Subscription toSubscription() {
    return new Subscription(
        oid,
        subname,
        subowner,
        subenabled,
        subconninfo,
        subslotname,
        publications,
        subbinary,
        substream.charAt(0),
        subtwophasestate.charAt(0),
        subdisableonerr,
        subpasswordrequired,
        subrunasowner,
        subfailover,
        subsynccommit,
        suborigin,
        subskiplsn);
  }
}
